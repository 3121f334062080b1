package dev.muster.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** How hard requests are brought to agents, as settings say it (section 12). */
class A2aSettingsTest {

  private static A2aSettings settings(MockEnvironment environment) {
    return A2aSettings.from(new Settings(environment));
  }

  @Test
  void tryFiveTimesInTenMinutesUnlessToldOtherwise() {
    assertThat(settings(new MockEnvironment()))
        .isEqualTo(new A2aSettings(5, Duration.ofMinutes(10), Duration.ofMinutes(5), true));
  }

  @Test
  void areEachReadUnderItsName() {
    assertThat(
            settings(
                new MockEnvironment()
                    .withProperty("A2A_DELEGATE_MAX_ATTEMPTS", "2")
                    .withProperty("A2A_DELEGATE_TOTAL_BUDGET", "30")
                    .withProperty("A2A_DELEGATE_READ_TIMEOUT", "4")
                    .withProperty("A2A_RETRY_AMBIGUOUS", "no")))
        .isEqualTo(new A2aSettings(2, Duration.ofSeconds(30), Duration.ofSeconds(4), false));
  }
}
