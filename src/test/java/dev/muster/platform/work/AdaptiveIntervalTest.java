package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Scans are one interval apart, and further apart when they are slow. */
class AdaptiveIntervalTest {

  private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());
  private final AdaptiveInterval interval = new AdaptiveInterval(Duration.ofSeconds(1), now::get);
  private int scans;

  @Test
  void runsTheFirstScanAtOnceAndFastOnesOncePerInterval() {
    assertThat(runsAScanOf(Duration.ofMillis(10))).isTrue();
    pass(Duration.ofMillis(980));
    assertThat(runsAScanOf(Duration.ZERO)).isFalse();
    pass(Duration.ofMillis(10));
    assertThat(runsAScanOf(Duration.ZERO)).isTrue();
  }

  @Test
  void leavesTwentyTimesTheDurationOfASlowScanBetweenTheStarts() {
    assertThat(runsAScanOf(Duration.ofMillis(300))).isTrue();
    pass(Duration.ofMillis(5_699));
    assertThat(runsAScanOf(Duration.ZERO)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(runsAScanOf(Duration.ZERO)).isTrue();
  }

  @Test
  void repeatsAScanThatFailed() {
    assertThatThrownBy(() ->
            interval.runIfDue(() -> {
              throw new IllegalStateException("no database");
            }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(runsAScanOf(Duration.ZERO)).isTrue();
  }

  @Test
  void runsAtOnceWhenItIsMadeDue() {
    assertThat(runsAScanOf(Duration.ofMillis(300))).isTrue();
    interval.makeDue();
    assertThat(runsAScanOf(Duration.ZERO)).isTrue();
  }

  private boolean runsAScanOf(Duration duration) {
    int before = scans;
    interval.runIfDue(() -> {
      scans++;
      pass(duration);
    });
    return scans > before;
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
