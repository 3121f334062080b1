package dev.muster.platform.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.time.Duration;
import java.util.concurrent.Callable;

/** An answer, and what it took. */
record TimedAnswer(Answer answer, Duration took) {

  private static final Duration DUE = Duration.ofSeconds(5);

  static TimedAnswer to(Callable<Answer> request) throws Exception {
    long start = System.nanoTime();
    Answer answer = request.call();
    return new TimedAnswer(answer, Duration.ofNanos(System.nanoTime() - start));
  }

  /** A success, or the refusal of a database that is slow, within 5 s (R0.6). */
  void assertInTime(String request) {
    assertThat(took).as(request).isLessThan(DUE);
    if (answer.status() / 100 != 2) {
      assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(503);
      assertThat(answer.field("code")).as(request).isEqualTo("UNAVAILABLE");
      assertThat(answer.header("Retry-After")).as(request).isEqualTo("5");
    }
  }
}
