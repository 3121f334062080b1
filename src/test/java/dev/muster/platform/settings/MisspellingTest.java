package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
  void findsTheNameThatIsNear(String name, String meant) {
    assertThat(Misspelling.nearest(name, KNOWN)).contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "p", "ts", "time", "lrus", "parent", "prnt_di_", "zzqqzzqqzz"})
  void findsNoneThatIsFar(String name) {
    assertThat(Misspelling.nearest(name, KNOWN)).isEmpty();
  }
}
