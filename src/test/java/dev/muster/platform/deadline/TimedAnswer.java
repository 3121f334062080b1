package dev.muster.platform.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * An answer and its duration.
 *
 * @param delay the longest delay of a waiting thread on this machine meanwhile
 */
record TimedAnswer(Answer answer, Duration took, Duration delay) {

  private static final Duration DUE = Duration.ofSeconds(5);
  private static final Duration TICK = Duration.ofMillis(50);

  static TimedAnswer to(Callable<Answer> request) throws Exception {
    Ticker ticker = new Ticker();
    ticker.start();
    long start = System.nanoTime();
    try {
      Answer answer = request.call();
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      return new TimedAnswer(answer, took, Duration.ofNanos(ticker.longest));
    } finally {
      ticker.ended = true;
    }
  }

  /**
   * Asserts a success, or the refusal of a slow database, within 5 s (R0.6) and the machine's
   * delay.
   */
  void assertInTime(String request) {
    assertThat(took).as(request).isLessThan(DUE.plus(delay));
    if (answer.status() / 100 != 2) {
      assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(503);
      assertThat(answer.field("code")).as(request).isEqualTo("UNAVAILABLE");
      assertThat(answer.header("Retry-After")).as(request).isEqualTo("5");
    }
  }

  /** Measures how much later than requested a sleeping thread continues. */
  private static final class Ticker extends Thread {

    private volatile long longest;
    private volatile boolean ended;

    @Override
    public void run() {
      while (!ended) {
        long start = System.nanoTime();
        LockSupport.parkNanos(TICK.toNanos());
        longest = Math.max(longest, System.nanoTime() - start - TICK.toNanos());
      }
    }
  }
}
