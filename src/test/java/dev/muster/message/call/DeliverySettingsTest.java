package dev.muster.message.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.TestSettings;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of attempts and of waiting times of messages (section 12). */
class DeliverySettingsTest {

  private static DeliverySettings settings(String... given) {
    return TestSettings.read(DeliverySettings.class, given);
  }

  @Test
  void tryFiveTimesInTenMinutesByDefault() {
    assertThat(settings())
        .isEqualTo(
            new DeliverySettings(
                5, Duration.ofMinutes(10), Duration.ofMinutes(5), true, Duration.ofDays(1)));
  }

  @Test
  void areEachReadUnderItsName() {
    assertThat(
            settings(
                "A2A_DELEGATE_MAX_ATTEMPTS=2",
                "A2A_DELEGATE_TOTAL_BUDGET=30",
                "A2A_DELEGATE_READ_TIMEOUT=4",
                "A2A_RETRY_AMBIGUOUS=no",
                "A2A_QUEUE_TTL_S= 7 "))
        .isEqualTo(
            new DeliverySettings(
                2, Duration.ofSeconds(30), Duration.ofSeconds(4), false, Duration.ofSeconds(7)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "day", "-5", "0", "1.5", "60s", "99999999999999999999"})
  void fallBackForValuesThatAreNotPositiveWholeNumbers(String value) {
    assertThat(settings("A2A_QUEUE_TTL_S=" + value)).isEqualTo(settings());
  }

  @Test
  void letSendersShortenTheWaitToASecondAndNeverLengthenIt() {
    DeliverySettings day = settings();
    assertThat(day.life(Optional.empty())).isEqualTo(Duration.ofDays(1));
    assertThat(day.life(Optional.of(90L))).isEqualTo(Duration.ofSeconds(90));
    assertThat(day.life(Optional.of(0L))).isEqualTo(Duration.ofSeconds(1));
    assertThat(day.life(Optional.of(-90L))).isEqualTo(Duration.ofSeconds(1));
    assertThat(day.life(Optional.of(86_401L))).isEqualTo(Duration.ofDays(1));
    assertThat(day.life(Optional.of(Long.MAX_VALUE))).isEqualTo(Duration.ofDays(1));
  }
}
