package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

/** Settings of how many days something is kept. */
class DaysTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "+7, 7",
    "10000, 10000",
    "10001, 10000",
    "36500, 10000",
    "2147483647, 10000",
    "2147483648, 10000",
    "99999999999999999999999, 10000",
    "0, 1",
    "-1, 30",
    "1e3, 30",
    "1.5, 30",
    "a month, 30"
  })
  void areFromOneToTenThousand(String text, int days) {
    Settings settings = new Settings(new MockEnvironment().withProperty("KEEP_DAYS", text));

    assertThat(settings.days("KEEP_DAYS", 30)).isEqualTo(Duration.ofDays(days));
  }
}
