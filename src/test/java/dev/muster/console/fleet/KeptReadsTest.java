package dev.muster.console.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeptReadsTest {

  private static final WholeReads READS = TestServer.shared().bean(WholeReads.class);

  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();
  private final KeptReads<String, String> kept =
      new KeptReads<>(READS, Caffeine.newBuilder().build(), this::read);

  @AfterEach
  void stop() {
    end.countDown();
  }

  private String read(String key) {
    begun.incrementAndGet();
    try {
      end.await();
      if (key.equals("bad")) {
        throw ProblemException.validation("bad");
      }
      return "of " + key;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Owner anyOwner() {
    return new Owner.OfWorkspace(UUID.randomUUID());
  }

  private CompletableFuture<String> ask(String key, Owner owner) {
    return CompletableFuture.supplyAsync(
        () -> RequestDeadline.without(() -> kept.of(key, owner)), Thread::startVirtualThread);
  }

  /** More of them than there are places for whole reads. */
  @Test
  void readOnceForAllWhoAskForTheSame() {
    Owner owner = anyOwner();
    CompletableFuture<String> first = ask("fleet", owner);
    await().until(() -> begun.get() == 1);
    List<CompletableFuture<String>> others =
        IntStream.range(0, 20)
            .mapToObj(n -> ask("fleet", n % 2 == 0 ? owner : anyOwner()))
            .toList();

    end.countDown();

    assertThat(first.join()).isEqualTo("of fleet");
    assertThat(others).allSatisfy(other -> assertThat(other.join()).isEqualTo("of fleet"));
    assertThat(begun.get()).isEqualTo(1);
    assertThat(kept.of("fleet", owner)).isEqualTo("of fleet");
  }

  /** A share that is used up is that of the one who reads, not of those who wait for it. */
  @Test
  void areReadByTheNextWhenTheFirstIsRefused() {
    Owner greedy = anyOwner();
    CompletableFuture<String> holdsItsPlace = ask("another", greedy);
    await().until(() -> begun.get() == 1);
    AtomicReference<Thread> reader = new AtomicReference<>();
    CompletableFuture<String> refused =
        CompletableFuture.supplyAsync(
            () -> {
              reader.set(Thread.currentThread());
              return RequestDeadline.without(() -> kept.of("fleet", greedy));
            },
            Thread::startVirtualThread);
    // it is the one that reads, and waits for a place
    await()
        .until(() -> reader.get() != null && reader.get().getState() == Thread.State.TIMED_WAITING);
    CompletableFuture<String> other = ask("fleet", anyOwner());

    assertThatExceptionOfType(Exception.class)
        .isThrownBy(refused::join)
        .havingCause()
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RATE_LIMITED));
    await().until(() -> begun.get() == 2);
    end.countDown();
    assertThat(other.join()).isEqualTo("of fleet");
    assertThat(holdsItsPlace.join()).isEqualTo("of another");
  }

  @Test
  void areNotKeptWhenTheyFail() {
    end.countDown();

    for (int n = 1; n <= 2; n++) {
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> kept.of("bad", anyOwner()))
          .withMessage("bad");
      assertThat(begun.get()).isEqualTo(n);
    }
  }

  @Test
  void areNotAwaitedForLong() {
    CompletableFuture<String> slow = ask("fleet", anyOwner());
    await().until(() -> begun.get() == 1);

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(
            () -> RequestDeadline.within(Duration.ofMillis(50), () -> kept.of("fleet", anyOwner())))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    assertThat(slow).isNotDone();
  }
}
