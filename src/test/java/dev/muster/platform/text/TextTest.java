package dev.muster.platform.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
  private static final String ROCKET = "\uD83D\uDE80";

  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "\t\r\n\u0001\u007f", "ünïcode — ✓", ROCKET, "a" + ROCKET})
  void returnsTheSameInstanceForCleanText(String text) {
    assertThat(Text.clean(text)).isSameAs(text);
    assertThat(Text.cut(text, 20)).isSameAs(text);
    assertThat(Text.cut(text, text.length())).isSameAs(text);
    assertThat(Text.cutBytes(text, 60)).isSameAs(text);
    assertThat(Text.cutBytes(text, text.getBytes(UTF_8).length)).isSameAs(text);
  }

  @Test
  void replacesNulAndLoneSurrogates() {
    assertThat(Text.clean("\0")).isEqualTo("\uFFFD");
    assertThat(Text.clean("a\0b\0")).isEqualTo("a\uFFFDb\uFFFD");
    assertThat(Text.clean("\uD83D")).isEqualTo("\uFFFD");
    assertThat(Text.clean("\uDE80")).isEqualTo("\uFFFD");
    assertThat(Text.clean("a\uD83Db")).isEqualTo("a\uFFFDb");
    assertThat(Text.clean("\uDE80\uD83D")).isEqualTo("\uFFFD\uFFFD");
    assertThat(Text.clean("\uD83D" + ROCKET)).isEqualTo("\uFFFD" + ROCKET);
    assertThat(Text.clean(ROCKET + "\uDE80")).isEqualTo(ROCKET + "\uFFFD");
    assertThat(Text.clean("\0" + ROCKET + "\uD83D")).isEqualTo("\uFFFD" + ROCKET + "\uFFFD");
  }

  @Test
  void cutsOnCodePoints() {
    assertThat(Text.cut("abc", 2)).isEqualTo("ab");
    assertThat(Text.cut("abc", 0)).isEmpty();
    assertThat(Text.cut(ROCKET + ROCKET + "x", 1)).isEqualTo(ROCKET);
    assertThat(Text.cut("a" + ROCKET + "x", 2)).isEqualTo("a" + ROCKET);
    assertThat(Text.cut(ROCKET.repeat(3), 3)).isEqualTo(ROCKET.repeat(3));
    assertThat(Text.cut("\uD83Dab", 2)).isEqualTo("\uD83Da");
  }

  @Test
  void cutsBytesBetweenCodePoints() {
    assertThat(Text.cutBytes("abc", 2)).isEqualTo("ab");
    assertThat(Text.cutBytes("aü", 2)).isEqualTo("a");
    assertThat(Text.cutBytes("aü", 3)).isEqualTo("aü");
    assertThat(Text.cutBytes("✓✓", 5)).isEqualTo("✓");
    assertThat(Text.cutBytes(ROCKET + ROCKET, 7)).isEqualTo(ROCKET);
    assertThat(Text.cutBytes(ROCKET, 3)).isEmpty();
    assertThat(Text.cutBytes("\uD83Dab", 4)).isEqualTo("\uD83Da");
    assertThat(Text.cutBytes("abc", 0)).isEmpty();
  }

  /** Compares with the JDK's encoder on text of all widths and of broken pairs. */
  @Test
  void agreesWithTheEncoderOnRandomText() {
    Random random = new Random(42);
    String alphabet = "aü✓" + ROCKET + "\uD83D\uDE80\0";
    for (int round = 0; round < 5_000; round++) {
      StringBuilder made = new StringBuilder();
      for (int i = random.nextInt(12); i > 0; i--) {
        made.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String clean = Text.clean(made.toString());
      assertThat(new String(clean.getBytes(UTF_8), UTF_8)).isEqualTo(clean).doesNotContain("\0");
      int max = random.nextInt(14);
      String cut = Text.cut(clean, max);
      assertThat(clean).startsWith(cut);
      assertThat(cut.codePointCount(0, cut.length()))
          .isEqualTo(Math.min(max, clean.codePointCount(0, clean.length())));
      String cutBytes = Text.cutBytes(clean, max);
      assertThat(clean).startsWith(cutBytes);
      assertThat(cutBytes.getBytes(UTF_8)).hasSizeBetween(Math.min(max - 3, lengthOf(clean)), max);
      assertThat(new String(cutBytes.getBytes(UTF_8), UTF_8)).isEqualTo(cutBytes);
    }
  }

  private static int lengthOf(String text) {
    return text.getBytes(UTF_8).length;
  }

  @Test
  void refusesANegativeLength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Text.cut("a", -1))
        .withMessage("max: -1 (expected: 0..)");
    assertThatIllegalArgumentException().isThrownBy(() -> Text.cutBytes("a", -1));
  }

  @Test
  void namesFiveOfManyAndCountsTheRest() {
    assertThat(Text.few(List.of())).isEmpty();
    assertThat(Text.few(List.of(1, 2, 3, 4, 5))).isEqualTo("1, 2, 3, 4, 5");
    assertThat(Text.few(List.of(1, 2, 3, 4, 5, 6, 7))).isEqualTo("1, 2, 3, 4, 5 and 2 more");
  }
}
