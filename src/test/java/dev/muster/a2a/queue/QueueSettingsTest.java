package dev.muster.a2a.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.Settings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The longest life of a queued message, and what a sender may make of it (R7.7). */
class QueueSettingsTest {

  private static final QueueSettings DAY = new QueueSettings(Duration.ofDays(1));

  private static QueueSettings settings(Map<String, Object> values) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    return QueueSettings.from(new Settings(environment));
  }

  @Test
  void letMessagesWaitForADayUnlessToldOtherwise() {
    assertThat(settings(Map.of())).isEqualTo(DAY);
  }

  @Test
  void readPositiveSeconds() {
    assertThat(settings(Map.of("A2A_QUEUE_TTL_S", " 7 ")))
        .isEqualTo(new QueueSettings(Duration.ofSeconds(7)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "day", "-5", "0", "1.5", "60s", "99999999999999999999"})
  void fallBackOnWhatIsNoPositiveWholeNumber(String value) {
    assertThat(settings(Map.of("A2A_QUEUE_TTL_S", value))).isEqualTo(DAY);
  }

  @Test
  void letSendersShortenALifeToASecondAndNeverLengthenIt() {
    assertThat(DAY.life(Optional.empty())).isEqualTo(Duration.ofDays(1));
    assertThat(DAY.life(Optional.of(90L))).isEqualTo(Duration.ofSeconds(90));
    assertThat(DAY.life(Optional.of(0L))).isEqualTo(Duration.ofSeconds(1));
    assertThat(DAY.life(Optional.of(-90L))).isEqualTo(Duration.ofSeconds(1));
    assertThat(DAY.life(Optional.of(86_401L))).isEqualTo(Duration.ofDays(1));
    assertThat(DAY.life(Optional.of(Long.MAX_VALUE))).isEqualTo(Duration.ofDays(1));
  }
}
