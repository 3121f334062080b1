package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.work.Pace;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The ratios of the times of a lease, on which the tests at a faster pace rely (R7.3, R7.7). */
class LeaseTimesTest {

  private static final LeaseTimes REAL = LeaseTimes.at(Pace.REAL);

  @Test
  void aLeaseOutlastsFourRenewalsAndTheSpare() {
    assertThat(REAL.lease())
        .isGreaterThanOrEqualTo(REAL.renewal().multipliedBy(4).plus(REAL.spare()));
  }

  @Test
  void aDeadReplicaLosesItsDeliveriesWithinHalfAMinute() {
    assertThat(REAL.lease().plus(REAL.renewal())).isLessThanOrEqualTo(Duration.ofSeconds(30));
  }

  /**
   * A claim may be stored while its response is still on the way, for as long as a statement is
   * waited for.
   */
  @Test
  void aClaimIsUnknownLaterThanTheDeadlineOfItsStatement() {
    assertThat(REAL.unknownClaim()).isGreaterThanOrEqualTo(RequestDeadline.LIMIT.multipliedBy(2));
    assertThat(REAL.unknownClaim()).isLessThan(REAL.lease());
  }

  @Test
  void areThoseOfTheContract() {
    assertThat(REAL.lease()).isEqualTo(Duration.ofSeconds(25));
    assertThat(LeaseTimes.at(new Pace(5)).lease()).isEqualTo(Duration.ofSeconds(5));
  }
}
