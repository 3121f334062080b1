package dev.muster.platform.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * An answer, and what it took.
 *
 * @param delay how late this machine ran a waiting thread meanwhile, at most
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
   * A success, or the refusal of a database that is slow, within 5 s (R0.6), and what a busy
   * machine adds to them.
   */
  void assertInTime(String request) {
    assertThat(took).as(request).isLessThan(DUE.plus(delay));
    if (answer.status() / 100 != 2) {
      assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(503);
      assertThat(answer.field("code")).as(request).isEqualTo("UNAVAILABLE");
      assertThat(answer.header("Retry-After")).as(request).isEqualTo("5");
    }
  }

  /** Finds how much later than asked for a thread goes on. */
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
