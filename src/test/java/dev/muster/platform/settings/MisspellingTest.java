package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MisspellingTest {

  private static final List<String> KNOWN =
      List.of("parent_id", "agent_card", "name", "tier", "url", "id", "q", "x");

  @ParameterizedTest
  @CsvSource({
    "parnt_id, parent_id",
    "parentt_id, parent_id",
    "parebt_id, parent_id",
    "paretn_id, parent_id",
    "apretn_id, parent_id",
    "parentId, parent_id",
    "agentCard, agent_card",
    "naem, name",
    "nam, name",
    "names, name",
    "uri, url",
    "ids, id",
  })
  void findsTheNearestName(String name, String meant) {
    assertThat(Misspelling.nearest(name, KNOWN)).contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "p", "ts", "time", "lrus", "parent", "prnt_di_", "zzqqzzqqzz"})
  void findsNoneThatIsFar(String name) {
    assertThat(Misspelling.nearest(name, KNOWN)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "STALE, STALE, 0",
    "STALE, STALES, 1",
    "STALE, TALE, 1",
    "STALE, STOLE, 1",
    "STALE, STLAE, 1",
    "STALE, TSAEL, 2",
    "STALE, STA, 2",
    "STALE, '', 3",
    "'', AB, 2",
    "AB, BA, 1",
    "AB, BX, 2",
    "AB, XA, 2",
    "CA, ABC, 3",
    "STALE, OTHER, 3",
    "ABCDE, CDEAB, 3",
    "ABCD, BCDA, 2"
  })
  void measuresHowFarTwoNamesAreApart(String one, String other, int distance) {
    assertThat(Misspelling.distance(one, other)).isEqualTo(distance);
    assertThat(Misspelling.distance(other, one)).isEqualTo(distance);
  }

  @Test
  void findsTheNearestName() {
    assertThat(Misspelling.nearest("ABCDEF", List.of("AACCEF", "ABCDEX", "ABCDEZ")))
        .contains("ABCDEX");
    assertThat(Misspelling.nearest("ABCDEF", List.of("ZBCDEF", "ABCDEX"))).contains("ABCDEX");
    assertThat(Misspelling.nearest("ABCDEF", List.of("ABCDXY"))).contains("ABCDXY");
    assertThat(Misspelling.nearest("ABCDE", List.of("ABCDEFG"))).contains("ABCDEFG");
    assertThat(Misspelling.nearest("ABC", List.of("ABX"))).contains("ABX");
    assertThat(Misspelling.nearest("AB", List.of("ABX"))).contains("ABX");
  }

  @Test
  void findsNoNameThatIsFar() {
    assertThat(Misspelling.nearest("ABCDEF", List.of("ABCXYZ", "ABCDEFGHI"))).isEmpty();
    assertThat(Misspelling.nearest("ABCDE", List.of("ABCXY"))).isEmpty();
    assertThat(Misspelling.nearest("AB", List.of("AX"))).isEmpty();
  }
}
