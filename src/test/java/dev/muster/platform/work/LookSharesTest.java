package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.http.Owner;
import dev.muster.platform.work.LongPoll.PollResult;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow looks for the held polls of one owner leave those of others their turns. */
@Slow
@Timeout(60)
class LookSharesTest {

  private static final int POLLS = 50;

  private final Owner greedy = new Owner.OfWorkspace(UUID.randomUUID());
  private final Owner modest = new Owner.OfWorkspace(UUID.randomUUID());
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger slow = new AtomicInteger();

  @Test
  void leaveThoseOfOthersTheirTurns() throws Exception {
    LongPollRegistry polls = TestServer.shared().bean(LongPollRegistry.class);
    List<CompletableFuture<String>> slowOnes = new ArrayList<>();
    for (int n = 0; n < POLLS; n++) {
      slowOnes.add(polls.await(poll(greedy, this::lookSlowly)));
    }
    CompletableFuture<String> other = polls.await(poll(modest, () -> true));
    polls.wake(List.of(greedy));
    await().until(() -> slow.get() > 0);
    try {
      polls.wake(List.of(modest));

      assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo("found");
      assertThat(slowOnes).noneMatch(CompletableFuture::isDone);
    } finally {
      end.countDown();
    }
    for (CompletableFuture<String> one : slowOnes) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isEqualTo("found");
    }
  }

  /** Finds nothing in its first look, which its request makes. */
  private static LongPoll<String> poll(Owner owner, Supplier<Boolean> look) {
    AtomicInteger looks = new AtomicInteger();
    return new LongPoll<>(
        owner,
        owner,
        Duration.ofMinutes(10),
        () ->
            looks.getAndIncrement() > 0 && look.get()
                ? new PollResult.Answer<>("found")
                : new PollResult.Nothing<>(0),
        () -> true,
        "nothing");
  }

  private boolean lookSlowly() {
    slow.incrementAndGet();
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
