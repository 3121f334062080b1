package dev.muster.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long a sender waits for the answer of a poll agent (R7.11). */
class SendOptionsTest {

  private static Duration timeout(Optional<Duration> timeout, Optional<Duration> wait) {
    return new SendOptions(timeout, wait, Map.of()).waitLimit();
  }

  @Test
  void waitsAtMostAMinuteWhateverTheDeliveryTimeout() {
    Optional<Duration> hour = Optional.of(Duration.ofHours(1));
    Optional<Duration> second = Optional.of(Duration.ofSeconds(1));

    assertThat(timeout(hour, Optional.empty())).isEqualTo(Duration.ofSeconds(60));
    assertThat(timeout(second, Optional.empty())).isEqualTo(Duration.ofSeconds(1));
    assertThat(timeout(hour, second)).isEqualTo(Duration.ofSeconds(1));
    assertThat(timeout(hour, Optional.of(Duration.ZERO))).isZero();
    assertThat(timeout(Optional.empty(), Optional.empty())).isZero();
  }
}
