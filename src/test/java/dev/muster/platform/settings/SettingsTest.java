package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

/** How a setting is read, of whichever form (section 12). */
@ExtendWith(OutputCaptureExtension.class)
class SettingsTest {

  private final MockEnvironment environment = new MockEnvironment();
  private final Settings settings = new Settings(environment);

  @Test
  void takeAnEmptyValueForNone() {
    for (String value : List.of("", " ", " \t\n")) {
      environment.setProperty("NAME", value);
      assertThat(settings.text("NAME")).isEmpty();
      assertThat(settings.tuning("NAME", 7, Values::positiveInt)).isEqualTo(7);
      assertThat(settings.security("NAME", true, Values::flag)).isTrue();
      assertThat(settings.days("NAME", 3)).isEqualTo(Duration.ofDays(3));
    }
    environment.setProperty("NAME", " 8 ");
    assertThat(settings.text("NAME")).contains("8");
    assertThat(settings.tuning("NAME", 7, Values::positiveInt)).isEqualTo(8);
  }

  @Test
  void fallBackWhereTheyTuneAndRefuseWhereTheyGuard() {
    environment.setProperty("NAME", "maybe");

    assertThat(settings.tuning("NAME", 7, Values::positiveInt)).isEqualTo(7);
    assertThatThrownBy(() -> settings.security("NAME", true, Values::flag))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage("NAME is not usable: expected true or false.");
    environment.setProperty("NAME", "no");
    assertThat(settings.security("NAME", true, Values::flag)).isFalse();
  }

  @Test
  void tellOfDaysThatWereTooFewOrTooMany(CapturedOutput output) {
    environment
        .withProperty("KEPT", "10000")
        .withProperty("NEVER", "0")
        .withProperty("EVER", "1000000000");
    settings.days("KEPT", 30);
    assertThat(output).doesNotContain("KEPT");

    settings.days("NEVER", 30);
    settings.days("EVER", 30);

    assertThat(output)
        .contains("NEVER=0 is not from 1 to 10000 days; using 1")
        .contains("EVER=1000000000 is not from 1 to 10000 days; using 10000");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "+7, 7", "2147483647, 2147483647"})
  void readAPositiveWholeNumber(String text, int number) {
    assertThat(Values.positiveInt(text)).isEqualTo(number);
    assertThat(Values.zeroOrPositiveInt(text)).isEqualTo(number);
    assertThat(Values.zeroOrPositiveInt("0")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "one", "2147483648", "1e3"})
  void readNoOtherNumber(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.positiveInt(text))
        .withMessage("expected a positive whole number");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.zeroOrPositiveInt(text))
        .withMessage("expected 0 or a positive whole number");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.positiveInt("0"))
        .withMessage("expected a positive whole number");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "0.25, 0.25", "1e-3, 0.001"})
  void readARatio(String text, double ratio) {
    assertThat(Values.ratio(text)).isEqualTo(ratio);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-0.001", "1.001", "NaN", "Infinity", "half", "50%"})
  void readNoOtherRatio(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.ratio(text))
        .withMessage("expected a number from 0 to 1");
  }

  @ParameterizedTest
  @CsvSource({
    "true, true", "TRUE, true", "1, true", "yes, true", "On, true",
    "false, false", "False, false", "0, false", "no, false", "OFF, false"
  })
  void readAFlag(String text, boolean flag) {
    assertThat(Values.flag(text)).isEqualTo(flag);
  }

  @ParameterizedTest
  @CsvSource({
    "STALE, STALE, 0",
    "STALE, STALES, 1",
    "STALE, TALE, 1",
    "STALE, STOLE, 1",
    "STALE, STLAE, 1",
    "STALE, TSAEL, 2",
    "STALE, STA, 2",
    "STALE, '', 3",
    "'', AB, 2",
    "AB, BA, 1",
    "AB, BX, 2",
    "AB, XA, 2",
    "CA, ABC, 3",
    "STALE, OTHER, 3",
    "ABCDE, CDEAB, 3",
    "ABCD, BCDA, 2"
  })
  void measureHowFarTwoNamesAreApart(String one, String other, int distance) {
    assertThat(Misspelling.distance(one, other)).isEqualTo(distance);
    assertThat(Misspelling.distance(other, one)).isEqualTo(distance);
  }

  @Test
  void findTheNearestName() {
    assertThat(Misspelling.nearest("ABCDEF", List.of("AACCEF", "ABCDEX", "ABCDEZ")))
        .contains("ABCDEX");
    assertThat(Misspelling.nearest("ABCDEF", List.of("ZBCDEF", "ABCDEX"))).contains("ABCDEX");
    assertThat(Misspelling.nearest("ABCDEF", List.of("ABCDXY"))).contains("ABCDXY");
    assertThat(Misspelling.nearest("ABCDE", List.of("ABCDEFG"))).contains("ABCDEFG");
    assertThat(Misspelling.nearest("ABC", List.of("ABX"))).contains("ABX");
    assertThat(Misspelling.nearest("AB", List.of("ABX"))).contains("ABX");
  }

  @Test
  void findNoNameThatIsFar() {
    assertThat(Misspelling.nearest("ABCDEF", List.of("ABCXYZ", "ABCDEFGHI"))).isEmpty();
    assertThat(Misspelling.nearest("ABCDE", List.of("ABCXY"))).isEmpty();
    assertThat(Misspelling.nearest("AB", List.of("AX"))).isEmpty();
  }
}
