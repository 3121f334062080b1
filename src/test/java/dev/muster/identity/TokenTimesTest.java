package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.work.Pace;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The ratios of the times of a revocation, on which the tests at a faster pace rely (R1.6). */
class TokenTimesTest {

  private static final TokenTimes REAL = new TokenTimes(Pace.REAL);

  @Test
  void aCacheReadsTheRevocationsTwiceWithinTheirReach() {
    assertThat(REAL.revocationPoll().multipliedBy(2)).isLessThanOrEqualTo(REAL.reach());
  }

  @Test
  void aRevocationReachesEveryReplicaWithinFiveSeconds() {
    assertThat(REAL.reach()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aPauseOfTheMachineRefusesNoMoreRequestsAtAFasterPace() {
    assertThat(new TokenTimes(new Pace(5)).reach()).isEqualTo(REAL.reach());
  }
}
