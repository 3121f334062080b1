package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times in RFC 3339, with every offset that it allows. */
class TimeParameterTest {

  @ParameterizedTest
  @CsvSource({
    "2026-11-21T20:00:00Z, 2026-11-21T20:00:00Z",
    "2026-11-21t20:00:00.25z, 2026-11-21T20:00:00.250Z",
    "2026-11-21T20:00:00+05:45, 2026-11-21T14:15:00Z",
    "2026-11-21T20:00:00 05:45, 2026-11-21T14:15:00Z",
    "2026-11-21T20:00:00-08:00, 2026-11-22T04:00:00Z",
    "2026-11-21T20:00:00+19:53, 2026-11-21T00:07:00Z",
    "2026-11-21T20:00:00-23:59, 2026-11-22T19:59:00Z",
    "2026-11-21T20:00Z, 2026-11-21T20:00:00Z",
    "2026-11-21T20:00:00.1234567891234Z, 2026-11-21T20:00:00.123456789Z",
    "2016-12-31T23:59:60Z, 2017-01-01T00:00:00Z",
    "2016-12-31T15:59:60.5-08:00, 2017-01-01T00:00:00.500Z",
    "0000-01-01T00:00:00+23:59, 1970-01-01T00:00:00Z",
    "0172-04-24T22:23:06.375Z, 1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59-23:59, 9999-12-31T00:00:00Z"
  })
  void readsTimes(String text, Instant time) {
    assertThat(TimeParameter.parse(text)).contains(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "now",
        "2026-11-21",
        "2026-11-21T20:00:00",
        "2026-11-21T20:00:00+24:00",
        "2026-11-21T20:00:60Z",
        "2026-11-21T20:00:61Z",
        "2026-11-21T24:00:00Z",
        "2026-02-30T20:00:00Z",
        "2026-11-21T20:00:00.Z",
        "2026-11-21 20:00:00Z",
        "+12026-11-21T20:00:00Z"
      })
  void readsNothingElse(String text) {
    assertThat(TimeParameter.parse(text)).isEmpty();
  }
}
