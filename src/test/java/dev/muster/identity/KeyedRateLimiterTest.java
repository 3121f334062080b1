package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.http.Owner;
import dev.muster.platform.problem.ProblemException;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

/** How an allowance is used up and refilled, with a settable clock. */
class KeyedRateLimiterTest {

  private static final class SetClock implements TimeMeter {
    private long nanos;

    @Override
    public long currentTimeNanos() {
      return nanos;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }

    void pass(Duration time) {
      nanos += time.toNanos();
    }
  }

  private static final Owner OWNER = Owner.SERVER;

  private final SetClock clock = new SetClock();
  private final Counter refused = new SimpleMeterRegistry().counter("refused");
  private final KeyedRateLimiter limiter = new KeyedRateLimiter(6, clock, refused);

  private MockHttpServletResponse take() {
    MockHttpServletResponse response = new MockHttpServletResponse();
    limiter.take(OWNER, response);
    return response;
  }

  private MockHttpServletResponse refused() {
    MockHttpServletResponse response = new MockHttpServletResponse();
    assertThatThrownBy(() -> limiter.take(OWNER, response)).isInstanceOf(ProblemException.class);
    return response;
  }

  private void takeAll() {
    for (int i = 0; i < 6; i++) {
      take();
    }
  }

  @Test
  void returnsTheExactTimeOfTheNextAllowedRequest() {
    takeAll();

    MockHttpServletResponse answer = refused();
    assertThat(answer.getHeader("Retry-After")).isEqualTo("10");
    assertThat(answer.getHeader("X-RateLimit-Reset")).isEqualTo("60");
    clock.pass(Duration.ofMillis(9_999));
    assertThat(refused().getHeader("Retry-After")).isEqualTo("1");
    clock.pass(Duration.ofMillis(1));
    assertThat(take().getHeader("X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(refused.count()).isEqualTo(2);
  }

  @Test
  void isFullAgainAfterAMinuteAndNeverMoreThanFull() {
    takeAll();
    clock.pass(Duration.ofHours(5));

    takeAll();
    refused();
  }
}
