package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The waits between attempts (R7.10). */
class RetryDelayTest {

  @ParameterizedTest
  @CsvSource({
    "1, 750, 1000, 1250",
    "2, 1500, 2000, 2500",
    "3, 3000, 4000, 5000",
    "4, 6000, 8000, 10000",
    "5, 12000, 16000, 20000",
    "6, 12000, 16000, 20000",
    "2000000000, 12000, 16000, 20000"
  })
  void doublesUpToSixteenSecondsAndSpreadsByAQuarter(
      int retry, long least, long middle, long most) {
    assertThat(RetryDelay.before(retry, 0)).isEqualTo(Duration.ofMillis(least));
    assertThat(RetryDelay.before(retry, 0.5)).isEqualTo(Duration.ofMillis(middle));
    assertThat(RetryDelay.before(retry, 1)).isEqualTo(Duration.ofMillis(most));
  }

  @Test
  void isAFunctionOfItsArguments() {
    for (int i = 0; i <= 100; i++) {
      assertThat(RetryDelay.before(3, i / 100.0)).isEqualTo(RetryDelay.before(3, i / 100.0));
    }
    assertThat(RetryDelay.before(3, 0.2)).isLessThan(RetryDelay.before(3, 0.3));
  }

  @Test
  void refusesInvalidRetriesAndFractions() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryDelay.before(0, 0.5))
        .withMessage("retry: 0 (expected: 1..)");
    assertThatIllegalArgumentException().isThrownBy(() -> RetryDelay.before(1, 1.1));
    assertThatIllegalArgumentException().isThrownBy(() -> RetryDelay.before(1, Double.NaN));
  }
}
