package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.store.ReadPositions;
import dev.muster.testing.Race;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Which requests are polls, where they begin, and that they neither skip nor repeat rows (R6.3,
 * R6.4).
 */
class PollTest {

  private static final UUID PEER = TestFeed.create("Peer").id();

  /** Five messages of a peer, the first two acknowledged. */
  private static final TestFeed FEED = TestFeed.create("Ordered");

  private static final String FIRST = FEED.receive(PEER, "1");

  static {
    for (int seq = 2; seq <= 5; seq++) {
      FEED.receive(PEER, Integer.toString(seq));
    }
    FEED.acknowledge("2");
  }

  @ParameterizedTest
  @CsvSource({
    "type=a2a_receive, 3 4 5",
    "type=a2a_receive&limit=2, 3 4",
    "type=a2a_receive&wait=1, 3 4 5",
    "type=a2a_receive&include=notify, 3 4 5",
    "type=a2a_receive&include=peer_info, 3 4 5",
    "'type=a2a_receive&include=notify,peer_info&limit=2', 3 4",
    "'type=a2a_receive&include=self,notify,x', 3 4 5",
    "type=a2a_receive&before_ts=2999-01-01T00:00:00Z, 3 4 5",
    "type=a2a_receive&order=asc, 3 4 5",
    "type=a2a_receive&order=desc, 5 4 3",
    "type=a2a_receive&order=desc&limit=1, 5",
    "type=a2a_receive&since_secs=3600, 1 2 3 4 5",
    "type=a2a_receive&since_id={first}, 2 3 4 5",
    "since_id={first}, 2 3 4 5",
    "since_id={first}&limit=2, 2 3",
    "since_id={first}&since_secs=3600, 2 3 4 5",
    "since_id={first}&source=agent, 2 3 4 5",
    "since_id={first}&peer_id={peer}, 2 3 4 5",
    "since_id={first}&include=peer_info, 2 3 4 5",
    "since_id={first}&order=desc&limit=1, 5"
  })
  void isAPollOfTheAgentOldestFirst(String query, String seqs) {
    assertThat(FEED.seqs("?" + filledIn(query))).isEqualTo(numbers(seqs));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 5 4 3 2 1",
    "limit=2, 5 4",
    "since_secs=3600, 5 4 3 2 1",
    "wait=1, 5 4 3 2 1",
    "order=asc, 1 2 3 4 5",
    "order=asc&limit=2, 1 2",
    "source=agent, 5 4 3 2 1",
    "type=agent_log, ''",
    "type=a2a_receive&source=agent, 5 4 3 2 1",
    "type=a2a_receive&peer_id={peer}, 5 4 3 2 1",
    "type=a2a_receive&include=peer_info&since_secs=3600, 5 4 3 2 1",
    "'type=a2a_receive&include=notify,peer_info&since_secs=3600', 5 4 3 2 1",
    "type=a2a_receive&source=agent&order=asc, 1 2 3 4 5"
  })
  void isAFeedOfTheAgentNewestFirst(String query, String seqs) {
    assertThat(FEED.seqs("?" + filledIn(query))).isEqualTo(numbers(seqs));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 5 4 3 2 1",
    "type=a2a_receive, 5 4 3 2 1",
    "type=a2a_receive&limit=2, 5 4",
    "type=a2a_receive&include=notify, 5 4 3 2 1",
    "type=a2a_receive&order=asc, 1 2 3 4 5",
    "type=a2a_receive&since_id={first}, 2 3 4 5",
    "since_id={first}, 2 3 4 5"
  })
  void isNewestFirstForOtherCallersUnlessThereIsACursor(String query, String seqs) {
    assertThat(FEED.seqsForAdmin("?" + filledIn(query))).isEqualTo(numbers(seqs));
  }

  /** Such an agent gets its messages by push, and reads its feed to see what is new. */
  @ParameterizedTest
  @CsvSource({
    "type=a2a_receive, 5 4 3 2 1",
    "type=a2a_receive&limit=2, 5 4",
    "type=a2a_receive&wait=1&limit=2, 5 4",
    "'type=a2a_receive&include=notify,self,peer_info&limit=2', 5 4",
    "type=a2a_receive&since_secs=3600&limit=2, 5 4",
    "type=a2a_receive&order=asc&limit=2, 1 2",
    "type=a2a_receive&since_id={first}&limit=2, 2 3"
  })
  void isAFeedOfAPushAgentThatNeverAcknowledgedUnlessThereIsACursor(String query, String seqs) {
    TestFeed feed = pushed("Pushed");
    String first = feed.receive(PEER, "1");
    for (int seq = 2; seq <= 5; seq++) {
      feed.receive(PEER, Integer.toString(seq));
    }

    assertThat(feed.seqs("?" + query.replace("{first}", first))).isEqualTo(numbers(seqs));
  }

  @Test
  void isAPollOfAPushAgentThatHasAcknowledged() {
    TestFeed feed = pushed("Pushed");
    fill(feed, 1, 5);
    assertThat(feed.seqs("?type=a2a_receive&limit=2")).containsExactly(5L, 4L);

    feed.acknowledge("2");

    assertThat(feed.seqs("?type=a2a_receive&limit=2")).containsExactly(3L, 4L);
    assertThat(feed.seqs("?type=a2a_receive&include=peer_info")).containsExactly(3L, 4L, 5L);
  }

  /** The rows that lie behind it are waiting deliveries, or in the feed (R3.2). */
  @Test
  void followsTheDeliveryMode() {
    TestFeed feed = TestFeed.create("Changing");
    fill(feed, 1, 3);
    assertThat(feed.seqs("?type=a2a_receive&limit=2")).containsExactly(1L, 2L);

    feed.client().patch("/workspaces/" + feed.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"push\"}");
    assertThat(feed.seqs("?type=a2a_receive&limit=2")).containsExactly(3L, 2L);

    feed.client().patch("/workspaces/" + feed.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"poll\"}");
    assertThat(feed.seqs("?type=a2a_receive&limit=2")).containsExactly(1L, 2L);
  }

  /** A read of the messages moves no position: the agent may read them again when it polls. */
  @Test
  void leavesTheReadPositionWhereItIsUnlessItIsAPoll() {
    TestFeed feed = pushed("Pushed");
    feed.log("not a message");

    assertThat(feed.seqs("?type=a2a_receive")).isEmpty();

    assertThat(feed.server().bean(ReadPositions.class).of(feed.id())).isZero();
  }

  /** The client takes the last row of each page as its cursor. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&include=peer_info", "&include=peer_info,notify"})
  void losesNoMessageThatWaitedBeforeTheFirstPoll(String include) {
    TestFeed feed = TestFeed.create("New");
    fill(feed, 1, 12);

    List<Long> read = new ArrayList<>();
    drain(feed, "?type=a2a_receive&limit=5" + include, read, 12);

    assertThat(read).isEqualTo(upTo(12));
  }

  private static TestFeed pushed(String name) {
    TestServer server = TestServer.shared();
    return new TestFeed(server, server.client().create(name, "\"delivery_mode\":\"push\""));
  }

  private static String filledIn(String query) {
    return query.replace("{peer}", PEER.toString()).replace("{first}", FIRST);
  }

  private static List<Long> numbers(String text) {
    return text.isEmpty()
        ? List.of()
        : List.of(text.split(" ", -1)).stream().map(Long::valueOf).toList();
  }

  @Test
  void readsAllRowsWhileMoreArrive() {
    TestFeed feed = TestFeed.create("Drained");
    fill(feed, 10, 25);
    CompletableFuture<Void> more =
        CompletableFuture.runAsync(() -> fill(feed, 5, 20), Thread::startVirtualThread);

    List<Long> read = new ArrayList<>();
    String cursor = drain(feed, "?type=a2a_receive", read, 350);
    more.join();

    assertThat(read).isEqualTo(upTo(350));
    assertThat(feed.seqs("?type=a2a_receive&since_id=" + cursor)).isEmpty();

    // the agent continues later with its cursor
    feed.receive(null, "while it was away");
    assertThat(feed.seqs("?type=a2a_receive&since_id=" + cursor)).containsExactly(351L);

    // and once more, when the row of the cursor is deleted
    feed.forget(cursor);
    assertRefused(feed.get("?type=a2a_receive&since_id=" + cursor), 410, "CURSOR_GONE");
    List<Long> again = new ArrayList<>();
    drain(feed, "?type=a2a_receive", again, 350);
    assertThat(again).hasSize(350).isSorted().doesNotContain(350L).contains(1L, 349L, 351L);
  }

  @Test
  void restartsAfterTheAcknowledgedRow() {
    TestFeed feed = TestFeed.create("Acknowledging");
    fill(feed, 1, 10);
    assertThat(feed.seqs("?type=a2a_receive&limit=4")).containsExactly(1L, 2L, 3L, 4L);

    feed.acknowledge("4");
    assertThat(feed.seqs("?type=a2a_receive&limit=4")).containsExactly(5L, 6L, 7L, 8L);
    assertThat(feed.seqs("?type=a2a_receive&limit=4")).containsExactly(5L, 6L, 7L, 8L);

    feed.acknowledge("10");
    assertThat(feed.seqs("?type=a2a_receive")).isEmpty();
    feed.receive(null, "11");
    assertThat(feed.seqs("?type=a2a_receive")).containsExactly(11L);
    assertThat(feed.seqsForAdmin("")).hasSize(11);
  }

  @Test
  void neitherLosesNorRepeatsRowsWhileManyWrite() {
    TestFeed feed = TestFeed.create("Raced");
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(() -> fill(feed, 16, 12), Thread::startVirtualThread);

    List<Long> read = new ArrayList<>();
    drain(feed, "?type=a2a_receive&limit=7&wait=5", read, 192);
    writing.join();

    assertThat(read).isEqualTo(upTo(192));
    JsonNode rows = feed.rowsForAdmin("?order=asc&limit=500");
    assertThat(TestFeed.seqs(rows)).isEqualTo(read);
    assertThat(rows.valueStream().map(row -> row.path("data").path("text").asString()))
        .doesNotHaveDuplicates();
    assertThat(
            rows.valueStream()
                .map(row -> java.time.Instant.parse(row.path("created_at").asString()))
                .toList())
        .isSorted();
  }

  @Test
  void losesNoRowWhileTheReaderAlsoReadsOtherTypes() {
    TestFeed feed = TestFeed.create("Mixed");
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () ->
                Race.run(
                    8,
                    runner -> {
                      for (int i = 0; i < 8; i++) {
                        feed.receive(null, runner + "." + i);
                        feed.log("noise");
                      }
                      return runner;
                    }),
            Thread::startVirtualThread);

    List<Long> accepted = new ArrayList<>();
    drain(feed, "?type=a2a_receive&limit=5", accepted, 64);
    writing.join();

    assertThat(feed.server()).isSameAs(TestServer.shared());
    assertThat(accepted).isSorted().doesNotHaveDuplicates();
    assertThat(accepted).isEqualTo(feed.seqsForAdmin("?type=a2a_receive&order=asc&limit=500"));
  }

  /** Polls by cursor until it has this many rows; returns the cursor. */
  private static String drain(TestFeed feed, String query, List<Long> read, int rows) {
    String cursor = "";
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (read.size() < rows && System.nanoTime() < deadline) {
      JsonNode page = feed.rows(cursor.isEmpty() ? query : query + "&since_id=" + cursor);
      assertThat(page.size()).isLessThanOrEqualTo(100);
      read.addAll(TestFeed.seqs(page));
      cursor = page.isEmpty() ? cursor : TestFeed.idOfLast(page);
    }
    assertThat(read).hasSize(rows);
    return cursor;
  }

  private static void fill(TestFeed feed, int writers, int rowsEach) {
    Race.run(
        writers,
        writer -> {
          for (int i = 0; i < rowsEach; i++) {
            feed.receive(null, writer + "." + i);
          }
          return writer;
        });
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }
}
