package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaceTest {

  @ParameterizedTest
  @CsvSource({"1, PT25S, PT25S", "5, PT25S, PT5S", "5, PT1S, PT0.2S", "5, PT0.999S, PT0.999S"})
  void dividesPeriodsOfASecondAndMore(int factor, Duration real, Duration scaled) {
    assertThat(new Pace(factor).of(real)).isEqualTo(scaled);
  }

  @Test
  void isRealInTheProduct() {
    assertThat(Pace.REAL.of(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void isNeverSlowerThanReal(int factor) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Pace(factor))
        .withMessage("factor: " + factor + " (expected: 1 or more)");
  }
}
