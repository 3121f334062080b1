package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.delegation.DelegationSweeper.SweeperSettings;
import dev.muster.platform.settings.TestSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The interval and the time limits of the sweeper (R8.8, section 12). */
class SweeperSettingsTest {

  private static SweeperSettings settings(String... given) {
    return TestSettings.read(SweeperSettings.class, given);
  }

  @Test
  void sweepEveryFiveMinutesByDefault() {
    assertThat(settings())
        .isEqualTo(new SweeperSettings(true, Duration.ofMinutes(5), Duration.ofMinutes(10)));
  }

  @Test
  void readPositiveSeconds() {
    assertThat(
            settings(
                "DELEGATION_SWEEPER_ENABLED=off",
                "DELEGATION_SWEEPER_INTERVAL_S=7",
                "DELEGATION_STUCK_THRESHOLD_S=70"))
        .isEqualTo(new SweeperSettings(false, Duration.ofSeconds(7), Duration.ofSeconds(70)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"five", "-5", "0", "1.5", " ", "99999999999999999999"})
  void fallBackForValuesThatAreNotPositiveWholeNumbers(String value) {
    assertThat(
            settings(
                "DELEGATION_SWEEPER_INTERVAL_S=" + value, "DELEGATION_STUCK_THRESHOLD_S=" + value))
        .isEqualTo(settings());
  }
}
