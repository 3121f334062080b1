package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reasons of runtime errors (R9.1, seed 003). */
class RuntimeErrorKindTest {

  @ParameterizedTest
  @CsvSource({
    "NotConfigured, NOT_CONFIGURED",
    "Timeout, TIMEOUT",
    "SandboxUnavailable, SANDBOX_UNAVAILABLE",
    "OomKilled, OOM_KILLED",
    "Cancelled, CANCELLED",
    "Internal, INTERNAL"
  })
  void mapsTheSixWordsBothWays(String word, RuntimeErrorKind kind) {
    assertThat(RuntimeErrorKind.fromWire(word)).isEqualTo(kind);
    assertThat(kind.toWire()).contains(word);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"FutureKindFromNewerEngine", "", "timeout", "Timeout ", "UNKNOWN", "Unknown"})
  void mapsEveryOtherWordToUnknown(String word) {
    assertThat(RuntimeErrorKind.fromWire(word)).isEqualTo(RuntimeErrorKind.UNKNOWN);
  }

  @Test
  void hasNoWordForUnknown() {
    assertThat(RuntimeErrorKind.UNKNOWN.toWire()).isEmpty();
  }

  @Test
  void treatsOnlyACancelAsTerminal() {
    assertThat(Arrays.stream(RuntimeErrorKind.values()).filter(RuntimeErrorKind::isTerminal))
        .containsExactly(RuntimeErrorKind.CANCELLED);
  }
}
