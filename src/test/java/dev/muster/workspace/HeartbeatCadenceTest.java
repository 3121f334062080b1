package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.TestSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The heartbeat timing that the server returns to agents (R4.1, section 12). */
class HeartbeatCadenceTest {

  @Test
  void hasTheDefaultsOfTheContract() {
    HeartbeatCadence cadence = TestSettings.read(HeartbeatCadence.class);

    assertThat(cadence)
        .isEqualTo(new HeartbeatCadence(Duration.ofSeconds(30), Duration.ofMinutes(3)));
    assertThat(cadence.heartbeatIntervalS()).isEqualTo(30);
    assertThat(cadence.staleAfterS()).isEqualTo(180);
    assertThat(cadence.longPollMaxS()).isEqualTo(60);
  }

  @Test
  void isReadFromVariablesAndProperties() {
    HeartbeatCadence cadence = new HeartbeatCadence(Duration.ofSeconds(3), Duration.ofSeconds(9));

    assertThat(
            TestSettings.read(HeartbeatCadence.class, "HEARTBEAT_INTERVAL_S=3", "STALE_AFTER_S=9"))
        .isEqualTo(cadence);
    assertThat(
            TestSettings.read(
                HeartbeatCadence.class,
                "muster.heartbeat.interval=3s",
                "muster.heartbeat.stale-after=9s"))
        .isEqualTo(cadence);
  }
}
