package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An agent's poll leaves out its own rows (R6.5). */
class OwnRowsTest {

  private static final TestFeed FEED = TestFeed.create("Talking");

  static {
    FEED.receive(null, "from the canvas");
    FEED.notify("\"message\":\"to the canvas\"");
    FEED.reported("\"activity_type\":\"a2a_receive\",\"summary\":\"reported by itself\"");
    FEED.receive(FEED.id(), "to itself");
    FEED.log("thought");
    FEED.reported("\"activity_type\":\"a2a_receive\",\"method\":\"notify\"");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1 4",
    "&include=x, 1 4",
    "&include=notify, 1 2 4",
    "&include=self, 1 2 3 4 6",
    "'&include=notify,self', 1 2 3 4 6",
    "'&include=self,notify', 1 2 3 4 6",
    "&include=%20self%20, 1 2 3 4 6",
    "&since_secs=3600, 1 4",
    "&since_secs=3600&include=notify, 1 2 4",
    "&limit=1, 1",
    "&order=desc, 4 1",
    "&order=desc&include=self, 6 4 3 2 1",
    "&source=agent, 4",
    "&source=agent&include=self, 6 4 3",
    "&source=canvas, 1",
    "&source=canvas&include=notify, 2 1",
    "&include=peer_info, 1 4",
    "'&include=peer_info,notify', 1 2 4",
    "'&include=peer_info,self', 1 2 3 4 6",
    "'&since_secs=3600&include=peer_info', 4 1",
    "'&since_secs=3600&include=peer_info,notify', 4 2 1"
  })
  void areLeftOutOfItsInboxUnlessItAsksForThem(String rest, String seqs) {
    List<Long> expected = List.of(seqs.split(" ")).stream().map(Long::valueOf).toList();

    assertThat(FEED.seqs("?type=a2a_receive" + rest)).isEqualTo(expected);
  }

  @Test
  void areLeftOutAfterACursorToo() {
    String first = FEED.rowsForAdmin("?order=asc").path(0).path("id").asString();

    assertThat(FEED.seqs("?type=a2a_receive&since_id=" + first)).containsExactly(4L);
    assertThat(FEED.seqs("?type=a2a_receive&include=notify&since_id=" + first))
        .containsExactly(2L, 4L);
    assertThat(FEED.seqs("?type=a2a_receive&include=self&since_id=" + first))
        .containsExactly(2L, 3L, 4L, 6L);
    assertThat(FEED.seqs("?since_id=" + first)).containsExactly(2L, 3L, 4L, 5L, 6L);
  }

  @Test
  void areInEveryOtherRead() {
    assertThat(FEED.seqs("")).containsExactly(6L, 5L, 4L, 3L, 2L, 1L);
    assertThat(FEED.seqs("?type=agent_log")).containsExactly(5L);
    assertThat(FEED.seqs("?source=canvas")).containsExactly(2L, 1L);
  }

  @ParameterizedTest
  @CsvSource({"'', 6 4 3 2 1", "&include=notify, 6 4 3 2 1", "&source=canvas, 2 1"})
  void areVisibleToTheAdmin(String rest, String seqs) {
    List<Long> expected = List.of(seqs.split(" ")).stream().map(Long::valueOf).toList();

    assertThat(FEED.seqsForAdmin("?type=a2a_receive" + rest)).isEqualTo(expected);
  }

  @Test
  void doNotIncludeMessagesToItself() {
    TestFeed feed = TestFeed.create("Alone");
    feed.receive(feed.id(), "note to self");

    var row = feed.rows("?type=a2a_receive").path(0);
    assertThat(row.path("source").asString()).isEqualTo("peer_agent");
    assertThat(row.path("source_id").asString()).isEqualTo(feed.id().toString());
    assertThat(row.path("target_id").asString()).isEqualTo(feed.id().toString());
    assertThat(row.path("data").path("text").asString()).isEqualTo("note to self");
  }
}
