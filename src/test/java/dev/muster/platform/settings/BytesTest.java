package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Amounts of bytes as settings have them. */
class BytesTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1048576, 1048576",
    "64KiB, 65536",
    "512 MiB, 536870912",
    "1GiB, 1073741824",
    "2gib, 2147483648"
  })
  void areWholeNumbersWithOrWithoutAUnit(String text, long bytes) {
    assertThat(Values.bytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "1.5GiB", "1 TB", "1GB", "MiB", "many", "9999999999GiB", "1e9", "1k"})
  void areNothingElse(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.bytes(text))
        .withMessageContaining("KiB, MiB or GiB");
  }
}
