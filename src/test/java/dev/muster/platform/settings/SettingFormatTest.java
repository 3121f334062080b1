package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The property values of variables, and the accepted values of properties. */
class SettingFormatTest {

  @ParameterizedTest
  @CsvSource({
    "COUNT, 1, 1",
    "COUNT, +7, 7",
    "COUNT, 2147483647, 2147483647",
    "COUNT_OR_ZERO, 0, 0",
    "SECONDS, 180, 180s",
    "SECONDS_OR_ZERO, 0, 0s",
    "HOURS, 6, 6h",
    "DAYS, 1, 1d",
    "DAYS, +7, 7d",
    "DAYS, 10000, 10000d",
    "DAYS, 10001, 10000d",
    "DAYS, 2147483648, 10000d",
    "DAYS, 99999999999999999999999, 10000d",
    "DAYS, 0, 1d",
    "RATIO, 0, 0.0",
    "RATIO, 1, 1.0",
    "RATIO, 0.25, 0.25",
    "RATIO, 1e-3, 0.001",
    "FLAG, TRUE, true",
    "FLAG, 1, true",
    "FLAG, yes, true",
    "FLAG, On, true",
    "FLAG, False, false",
    "FLAG, 0, false",
    "FLAG, no, false",
    "FLAG, OFF, false",
    "BYTES, 1, 1B",
    "BYTES, 64KiB, 65536B",
    "BYTES, 512 MiB, 536870912B",
    "BYTES, 2gib, 2147483648B",
    "TEXT, 'any, text', 'any, text'",
    "OPEN_TEXT, 'any, text', 'any, text'",
  })
  void readsAVariable(SettingFormat format, String variable, String property) {
    assertThat(format.toProperty(variable)).contains(property);
  }

  @ParameterizedTest
  @CsvSource({
    "COUNT, 0",
    "COUNT, -1",
    "COUNT, 1.5",
    "COUNT, one",
    "COUNT, 2147483648",
    "COUNT, 1e3",
    "COUNT, 0x10",
    "COUNT, 1 000",
    "COUNT_OR_ZERO, -1",
    "COUNT_OR_ZERO, one",
    "SECONDS, 0",
    "SECONDS, 60s",
    "SECONDS, 5000m",
    "SECONDS, 99999999999999999999999",
    "SECONDS, 1.5",
    "SECONDS_OR_ZERO, -1",
    "HOURS, 0",
    "HOURS, 2147483647",
    "DAYS, -1",
    "DAYS, 1e3",
    "DAYS, 1.5",
    "DAYS, a month",
    "RATIO, -0.001",
    "RATIO, 1.001",
    "RATIO, NaN",
    "RATIO, Infinity",
    "RATIO, half",
    "RATIO, 50%",
    "FLAG, maybe",
    "FLAG, 2",
    "BYTES, 0",
    "BYTES, -1",
    "BYTES, 1.5GiB",
    "BYTES, 1 TB",
    "BYTES, 1GB",
    "BYTES, MiB",
    "BYTES, many",
    "BYTES, 9999999999GiB",
    "BYTES, 1e9",
    "BYTES, 1k",
  })
  void refusesAnyOtherVariable(SettingFormat format, String variable) {
    assertThat(format.toProperty(variable)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "SECONDS, 0s, false",
    "SECONDS, 1s, true",
    "SECONDS, 3m, true",
    "SECONDS, 1500ms, false",
    "SECONDS, -1s, false",
    "SECONDS, 24856d, false",
    "SECONDS_OR_ZERO, 0s, true",
    "SECONDS_OR_ZERO, -1s, false",
    "HOURS, 90m, true",
    "HOURS, 0s, false",
    "DAYS, 1d, true",
    "DAYS, 23h, false",
    "DAYS, 25h, false",
    "DAYS, 48h, true",
    "DAYS, 10000d, true",
    "DAYS, 10001d, false",
    "DAYS, 0d, false",
  })
  void boundsTimes(SettingFormat format, String time, boolean inRange) {
    assertThat(format.parse(time).isPresent()).isEqualTo(inRange);
  }

  @ParameterizedTest
  @CsvSource({"1, true, true", "0, false, true", "-1, false, false"})
  void boundsNumbers(String value, boolean isCount, boolean isCountOrZero) {
    assertThat(SettingFormat.COUNT.parse(value).isPresent()).isEqualTo(isCount);
    assertThat(SettingFormat.COUNT_OR_ZERO.parse(value).isPresent()).isEqualTo(isCountOrZero);
    assertThat(SettingFormat.BYTES.parse(value).isPresent()).isEqualTo(isCount);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "0.5, true", "1, true", "1.01, false", "-0.1, false", "NaN, false"})
  void boundsRatios(String value, boolean inRange) {
    assertThat(SettingFormat.RATIO.parse(value).isPresent()).isEqualTo(inRange);
  }

  @ParameterizedTest
  @CsvSource({
    "SECONDS, 2m, 120",
    "HOURS, 120m, 2",
    "HOURS, 90m, 5400 s",
    "DAYS, 48h, 2",
    "BYTES, 1GB, 1GiB",
    "BYTES, 2048GB, 2048GiB",
    "BYTES, 1536KB, 1536KiB",
    "BYTES, 1000, 1000",
    "RATIO, .5, 0.5",
    "COUNT, 7, 7",
    "FLAG, on, true",
  })
  void showsAPropertyInTheUnitOfTheVariable(
      SettingFormat format, String property, String variable) {
    assertThat(format.parse(property).map(format::toVariable)).contains(variable);
  }
}
