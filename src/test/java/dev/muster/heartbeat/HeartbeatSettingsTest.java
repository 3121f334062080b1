package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.LivenessSettings.MassOffline;
import dev.muster.heartbeat.StatusRules.ErrorRateThresholds;
import dev.muster.platform.settings.TestSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of stale and stalled times and of error rates (R4.2, R5.1–R5.4, section 12). */
class HeartbeatSettingsTest {

  @Test
  void haveTheDefaultsOfTheContract() {
    assertThat(TestSettings.read(LivenessSettings.class))
        .isEqualTo(
            new LivenessSettings(
                Duration.ofSeconds(15),
                Duration.ofMinutes(6),
                new MassOffline(0.5, Duration.ofMinutes(10)),
                Duration.ofMinutes(12)));
    assertThat(TestSettings.read(ErrorRateThresholds.class))
        .isEqualTo(ErrorRateThresholds.DEFAULT)
        .isEqualTo(new ErrorRateThresholds(0.5, 0.1));
  }

  @Test
  void areEachReadUnderItsName() {
    assertThat(
            TestSettings.read(
                LivenessSettings.class,
                "LIVENESS_SWEEP_INTERVAL_S=2",
                "RECOVERY_GRACE_S=400",
                "MASS_OFFLINE_RATIO=0.25",
                "MASS_OFFLINE_HOLD_S=5",
                "STALLED_AFTER_S=6"))
        .isEqualTo(
            new LivenessSettings(
                Duration.ofSeconds(2),
                Duration.ofSeconds(400),
                new MassOffline(0.25, Duration.ofSeconds(5)),
                Duration.ofSeconds(6)));
  }

  @Test
  void keepTheGraceAtLeastTwoStalePeriods() {
    LivenessSettings settings = TestSettings.read(LivenessSettings.class, "RECOVERY_GRACE_S=400");

    assertThat(settings.grace(Duration.ofSeconds(180))).isEqualTo(Duration.ofSeconds(400));
    assertThat(settings.grace(Duration.ofSeconds(201))).isEqualTo(Duration.ofSeconds(402));
  }

  @ParameterizedTest
  @CsvSource({
    "0.8, 0.2, 0.8, 0.2",
    "0.3, 0.3, 0.3, 0.3",
    "0.3, 0.31, 0.5, 0.1",
    "0, 0, 0, 0",
    "1, 1, 1, 1"
  })
  void keepTheRecoveryThresholdBelowTheDegradedOne(
      String degradeAt, String recoverBelow, double degradesAt, double recoversBelow) {
    assertThat(
            TestSettings.read(
                ErrorRateThresholds.class,
                "DEGRADE_AT_ERROR_RATE=" + degradeAt,
                "RECOVER_BELOW_ERROR_RATE=" + recoverBelow))
        .isEqualTo(new ErrorRateThresholds(degradesAt, recoversBelow));
  }
}
