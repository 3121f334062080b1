package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Texts are measured and truncated by their bytes in a JSON body (R0.7). */
class TextLimitTest {

  private static final int LIMIT = 250 * 1024;

  /** Characters of one, two, three and four bytes; an escape of two, and two of six. */
  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"x", "é", "€", "😀", "\n", "\u0001", "\ud83d"})
  void measuresTheSentBytes(String one) {
    int each = bytes(one);
    String full = one.repeat(LIMIT / each) + "x".repeat(LIMIT % each);

    assertThat(bytes(full)).isEqualTo(LIMIT);
    assertThat(TextLimit.USUAL.admits(full)).isTrue();
    assertThat(TextLimit.USUAL.cut(full)).isEqualTo(full);
    assertThat(TextLimit.USUAL.admits(full + "x")).isFalse();
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"x", "é", "€", "😀", "\n", "\u0001"})
  void truncatesBetweenCharactersAndNamesTheSize(String one) {
    int times = LIMIT / bytes(one) + 1;

    String cut = TextLimit.USUAL.cut(one.repeat(times));

    int size = times * one.getBytes(StandardCharsets.UTF_8).length;
    assertThat(cut).startsWith(one);
    assertThat(cut.replace(one, "")).isEqualTo("… (cut, " + size + " bytes)");
    assertThat(bytes(cut)).isBetween(LIMIT - bytes(one) + 1, LIMIT);
  }

  @Test
  void leavesMessagesAlmostAllOfTheirLimit() {
    int limit = 16 * 1024 * 1024;

    assertThat(bytes(TextLimit.MESSAGE.cut("x".repeat(limit)))).isBetween(limit * 99 / 100, limit);
  }

  private static int bytes(String text) {
    return JsonMapper.shared().writeValueAsBytes(text).length - 2;
  }
}
