package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** 5 s × 2ⁿ, at most 300 s (R7.7). */
class QueuePauseTest {

  @Test
  void doublesUpToItsLimit() {
    assertThat(
            IntStream.rangeClosed(0, 7)
                .mapToObj(QueuedMessage::pauseAfter)
                .map(Duration::toSeconds))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  void staysAtItsLimit() {
    assertThat(QueuedMessage.pauseAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    assertThat(QueuedMessage.pauseAfter(-1)).isEqualTo(Duration.ofSeconds(5));
  }
}
