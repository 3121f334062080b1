package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.Settings;
import dev.muster.workspace.HeartbeatCadence;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

/** From when on silence and errors count, as settings say it (R4.2, R5.1–R5.4, section 12). */
class HeartbeatSettingsTest {

  private static final HeartbeatCadence CADENCE = new HeartbeatCadence(30, 180, 60);

  private final MockEnvironment environment = new MockEnvironment();
  private final Settings settings = new Settings(environment);

  @Test
  void haveTheDefaultsOfTheContract() {
    assertThat(LivenessSettings.from(settings, CADENCE))
        .isEqualTo(
            new LivenessSettings(
                Duration.ofMinutes(3),
                Duration.ofSeconds(15),
                Duration.ofMinutes(6),
                0.5,
                Duration.ofMinutes(10)));
    assertThat(StallSettings.from(settings, CADENCE))
        .isEqualTo(new StallSettings(Duration.ofMinutes(3), Duration.ofMinutes(12)));
    assertThat(ErrorRateThresholds.from(settings)).isEqualTo(new ErrorRateThresholds(0.5, 0.1));
  }

  @Test
  void areEachReadUnderItsName() {
    environment
        .withProperty("LIVENESS_SWEEP_INTERVAL_S", "2")
        .withProperty("RECOVERY_GRACE_S", "400")
        .withProperty("MASS_OFFLINE_RATIO", "0.25")
        .withProperty("MASS_OFFLINE_HOLD_S", "5")
        .withProperty("STALLED_AFTER_S", "6");

    assertThat(LivenessSettings.from(settings, CADENCE))
        .isEqualTo(
            new LivenessSettings(
                Duration.ofMinutes(3),
                Duration.ofSeconds(2),
                Duration.ofSeconds(400),
                0.25,
                Duration.ofSeconds(5)));
    assertThat(StallSettings.from(settings, CADENCE).stalledAfter())
        .isEqualTo(Duration.ofSeconds(6));
  }

  @ParameterizedTest
  @CsvSource({
    "0.8, 0.2, 0.8, 0.2",
    "0.3, 0.3, 0.3, 0.3",
    "0.3, 0.31, 0.5, 0.1",
    "0, 0, 0, 0",
    "1, 1, 1, 1"
  })
  void recoverNowhereAboveWhereTheyDegrade(
      String degradeAt, String recoverBelow, double degradesAt, double recoversBelow) {
    environment
        .withProperty("DEGRADE_AT_ERROR_RATE", degradeAt)
        .withProperty("RECOVER_BELOW_ERROR_RATE", recoverBelow);

    assertThat(ErrorRateThresholds.from(settings))
        .isEqualTo(new ErrorRateThresholds(degradesAt, recoversBelow));
  }
}
