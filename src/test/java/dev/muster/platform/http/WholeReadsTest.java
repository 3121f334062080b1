package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Few whole reads run at a time, and fewer of one owner. */
@Timeout(60)
class WholeReadsTest {

  private static final int CONNECTIONS = 20;
  private static final Duration AT_ONCE = Duration.ofMillis(20);

  private final WholeReads reads = new WholeReads(CONNECTIONS);
  private final Owner greedy = new Owner.OfWorkspace(UUID.randomUUID());
  private final Owner other = new Owner.OfWorkspace(UUID.randomUUID());
  private final Owner third = new Owner.OfWorkspace(UUID.randomUUID());
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Thread> readers = new ArrayList<>();

  @AfterEach
  void stop() throws InterruptedException {
    end.countDown();
    for (Thread reader : readers) {
      reader.join();
    }
  }

  /** Begins a read that ends with the test. */
  private void hold(Owner owner) throws InterruptedException {
    CountDownLatch began = new CountDownLatch(1);
    readers.add(
        Thread.startVirtualThread(() ->
            reads.run(
                owner,
                () -> {
                  began.countDown();
                  return awaitEnd();
                })));
    began.await();
  }

  private boolean awaitEnd() {
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean read(Owner owner) {
    return RequestDeadline.within(AT_ONCE, () -> reads.run(owner, () -> true));
  }

  private void assertRefused(Owner owner, ErrorCode code) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read(owner))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(code))
        .satisfies(refusal -> assertThat(refusal.retryAfter()).hasSeconds(2));
  }

  @Test
  void keepPlacesForOtherOwners() throws Exception {
    hold(greedy);
    hold(greedy);

    assertRefused(greedy, ErrorCode.RATE_LIMITED);
    assertThat(read(other)).isTrue();
  }

  @Test
  void areRefusedWhenAllPlacesAreTaken() throws Exception {
    hold(greedy);
    hold(greedy);
    hold(other);
    hold(other);

    assertRefused(third, ErrorCode.UNAVAILABLE);
    end.countDown();
    assertThat(reads.goOn(third, () -> true)).isTrue();
  }

  @Test
  void waitForAPlace() throws Exception {
    hold(greedy);
    hold(greedy);
    Thread.startVirtualThread(end::countDown);

    assertThat(RequestDeadline.without(() -> reads.run(greedy, () -> true))).isTrue();
  }

  @Test
  void releaseTheirPlaceAfterAFailure() {
    for (int n = 0; n < 10; n++) {
      assertThatIllegalStateException()
          .isThrownBy(() ->
              reads.run(
                  greedy,
                  () -> {
                    throw new IllegalStateException("the read failed");
                  }))
          .withMessage("the read failed");
    }
    assertThat(read(greedy)).isTrue();
  }

  @Test
  void doNotRunInsideOfEachOther() {
    assertThatIllegalStateException()
        .isThrownBy(() -> reads.run(greedy, () -> read(greedy)))
        .withMessageContaining("indicates a bug");
    assertThat(read(greedy)).isTrue();
  }

  /** Heartbeats never wait for a connection that a whole read holds. */
  @ParameterizedTest
  @CsvSource({"20, 4", "100, 4", "8, 2", "4, 1", "1, 1"})
  void leaveMostOfThePoolToOthers(int connections, int atOnce) throws Exception {
    WholeReads ofPool = new WholeReads(connections);
    CountDownLatch began = new CountDownLatch(atOnce);
    for (int n = 0; n < atOnce; n++) {
      Owner owner = new Owner.OfWorkspace(new UUID(0, n));
      readers.add(
          Thread.startVirtualThread(() ->
              ofPool.run(
                  owner,
                  () -> {
                    began.countDown();
                    return awaitEnd();
                  })));
    }
    began.await();

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> RequestDeadline.within(AT_ONCE, () -> ofPool.run(third, () -> true)));
  }
}
