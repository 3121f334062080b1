package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decodes the bytes of a process, which may be split inside a character (R9.1). */
class ChunkDecoderTest {

  private final ChunkDecoder decoder = new ChunkDecoder();

  @Test
  void keepsAnIncompleteCharacter() {
    byte[] euro = "€".getBytes(StandardCharsets.UTF_8);

    assertThat(decoder.decode(euro, 0, 1)).isEmpty();
    assertThat(decoder.decode(euro, 1, 1)).isEmpty();
    assertThat(decoder.decode(euro, 2, 1)).isEqualTo("€");
    assertThat(decoder.finish()).isEmpty();
  }

  @Test
  void decodesCompleteCharactersAndKeepsTheRest() {
    byte[] text = "a😀".getBytes(StandardCharsets.UTF_8);

    assertThat(decoder.decode(text, 0, 4)).isEqualTo("a");
    assertThat(decoder.decode(text, 4, 1)).isEqualTo("😀");
  }

  @Test
  void replacesAnInvalidSequenceAndContinues() {
    assertThat(decoder.decode(new byte[] {(byte) 0xE2, (byte) 0x82})).isEmpty();
    assertThat(decoder.finish()).isEqualTo("\uFFFD");
    assertThat(decoder.finish()).isEmpty();
    assertThat(decoder.decode("again".getBytes(StandardCharsets.UTF_8))).isEqualTo("again");
  }

  @Test
  void decodesEmptyInput() {
    assertThat(decoder.decode(new byte[0])).isEmpty();
    assertThat(decoder.finish()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "61ff62",
        "c0af",
        "e2828261",
        "e241",
        "f09f98",
        "f09f9880",
        "eda080",
        "f4908080",
        "80",
        "e282ace2",
        "f0808080",
        "c3c3a9"
      })
  void decodesTheSameForEverySplit(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    String whole = new String(bytes, StandardCharsets.UTF_8);
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        String decoded =
            decoder.decode(bytes, 0, first)
                + decoder.decode(bytes, first, second - first)
                + decoder.decode(bytes, second, bytes.length - second)
                + decoder.finish();
        assertThat(decoded).as("cut at %d and %d", first, second).isEqualTo(whole);
      }
    }
  }

  @Test
  void decodesAnyBytesTheSameForEverySplit() {
    Random random = new Random(3);
    for (int round = 0; round < 2_000; round++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      StringBuilder decoded = new StringBuilder();
      for (int from = 0; from < bytes.length; ) {
        int length = random.nextInt(bytes.length - from) + 1;
        decoded.append(decoder.decode(bytes, from, length));
        from += length;
      }
      decoded.append(decoder.finish());
      assertThat(decoded).hasToString(new String(bytes, StandardCharsets.UTF_8));
    }
  }
}
