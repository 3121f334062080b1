package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * An answer and its duration.
 *
 * @param delay the delays of a waiting thread on this machine meanwhile, together; a request waits
 *     many times
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
      ticker.ended = true;
      ticker.join(); // a delay that lasts until now counts as well
      return new TimedAnswer(answer, took, Duration.ofNanos(ticker.delays));
    } finally {
      ticker.ended = true;
    }
  }

  /**
   * Asserts a success, or the refusal of a slow database or of a long read for which there is no
   * place meanwhile, within 5 s (R0.6, R1.11) and the machine's delays.
   */
  void assertInTime(String request) {
    assertThat(took).as(request).isLessThan(DUE.plus(delay));
    if (answer.header("Retry-After").equals("2")) {
      assertThat(answer.status()).as(request).isIn(429, 503);
    } else if (answer.status() / 100 != 2) {
      assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(503);
      assertThat(answer.field("code")).as(request).isEqualTo("UNAVAILABLE");
      assertThat(answer.header("Retry-After")).as(request).isEqualTo("5");
    }
  }

  /** Measures how much later than requested a sleeping thread continues. */
  private static final class Ticker extends Thread {

    private volatile long delays;
    private volatile boolean ended;

    @Override
    public void run() {
      long soFar = 0;
      while (!ended) {
        long start = System.nanoTime();
        LockSupport.parkNanos(TICK.toNanos());
        soFar += Math.max(0, System.nanoTime() - start - TICK.toNanos());
        delays = soFar;
      }
    }
  }
}
