package dev.muster.a2a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Owner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large requests use no carriers of virtual threads, and no sender takes all slots. */
@Timeout(60)
class LargeRequestsTest {

  private static final int SMALL = LargeRequests.LARGE_BYTES;
  private static final int LARGE = LargeRequests.LARGE_BYTES + 1;

  private final LargeRequests requests = new LargeRequests();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void stop() {
    end.countDown();
    callers.close();
  }

  private static Owner owner(String who) {
    return new Owner.OfPeople(who, 0);
  }

  private <T> Future<T> run(int bytes, String owner, Supplier<T> work) {
    return callers.submit(() -> requests.run(bytes, owner(owner), work));
  }

  /** Completes when it has its slot, which it keeps until the end of the test. */
  private CompletableFuture<Boolean> hold(String owner) {
    CompletableFuture<Boolean> began = new CompletableFuture<>();
    var _ =
        callers.submit(() -> {
          try {
            return requests.run(
                LARGE,
                owner(owner),
                () -> {
                  began.complete(true);
                  awaitEnd();
                  return true;
                });
          } catch (ProblemException refused) {
            return began.completeExceptionally(refused);
          }
        });
    return began;
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void runOnPlatformThreads() throws Exception {
    assertThat(run(LARGE, "a", () -> Thread.currentThread().isVirtual()).get()).isFalse();
    assertThat(run(SMALL, "a", () -> Thread.currentThread().isVirtual()).get()).isTrue();
  }

  @Test
  void leaveASlotForOtherSenders() throws Exception {
    assertThat(hold("a").get()).isTrue();
    CompletableFuture<Boolean> more = hold("a");
    while (!more.isCompletedExceptionally()) {
      more = hold("a");
      more.handle((began, refused) -> began).get();
    }

    assertThat(run(LARGE, "b", () -> 1).get()).isEqualTo(1);
    assertThat(run(SMALL, "a", () -> 2).get()).isEqualTo(2);
  }

  @Test
  void areRefusedWhenTooManyWait() {
    CompletableFuture<Boolean> last = hold("a");
    for (int i = 0; last.handle((began, refused) -> refused == null).join(); i++) {
      last = hold("sender " + i);
    }

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> requests.run(LARGE, owner("another"), () -> 1))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .withMessageContaining("of a sender");
  }

  @Test
  void releaseTheirSlotAndForwardRefusals() {
    for (int i = 0; i < 10; i++) {
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() ->
              requests.run(
                  LARGE,
                  owner("a"),
                  () -> {
                    throw ProblemException.validation("bad");
                  }))
          .withMessage("bad");
    }
  }
}
