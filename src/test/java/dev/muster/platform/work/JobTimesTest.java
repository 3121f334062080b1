package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The ratios of the times of a takeover, on which the tests at a faster pace rely. */
class JobTimesTest {

  private static final JobTimes REAL = new JobTimes(Pace.REAL);

  @Test
  void aDeadReplicasJobIsTakenOverWithinHalfAMinute() {
    assertThat(REAL.takeover()).isLessThanOrEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void noJobIsOverdueWhileItIsTakenOver() {
    assertThat(REAL.overdue())
        .isEqualTo(Duration.ofSeconds(30))
        .isGreaterThanOrEqualTo(REAL.takeover());
  }
}
