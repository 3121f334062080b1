package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** 5 s × 2ⁿ, at most 300 s (R7.7). */
class BackOffTest {

  @Test
  void doublesUpToItsLimit() {
    assertThat(
            IntStream.rangeClosed(0, 7)
                .mapToObj(BackOff.OF_DELIVERIES::delay)
                .map(Duration::toSeconds))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  void staysAtItsLimitHoweverOftenItFails() {
    assertThat(BackOff.OF_DELIVERIES.delay(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    assertThat(BackOff.OF_DELIVERIES.delay(-1)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void refusesALimitBelowItsBeginning() {
    assertThatThrownBy(() -> new BackOff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT2S");
  }
}
