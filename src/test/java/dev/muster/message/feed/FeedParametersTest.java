package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.StoredRows;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Every parameter of a feed, alone and with others (R6.2). A feed without any is newest first. */
class FeedParametersTest {

  private static final UUID PEER = TestFeed.create("Peer").id();
  private static final UUID ANOTHER = TestFeed.create("Another").id();

  /** Nine rows, of which each test reads some. */
  private static final TestFeed FEED = TestFeed.create("Read");

  private static final List<String> IDS = new ArrayList<>();

  /** 512 equal rows. */
  private static final TestFeed LONG = TestFeed.create("Long");

  static {
    IDS.add(FEED.log("1"));
    IDS.add(FEED.receive(PEER, "2"));
    IDS.add(FEED.receive(null, "3"));
    FEED.notify("\"message\":\"4\"");
    IDS.add(FEED.newest().path("id").asString());
    IDS.add(FEED.reported("\"activity_type\":\"task_update\",\"target_id\":\"" + PEER + "\""));
    IDS.add(FEED.receive(ANOTHER, "6"));
    IDS.add(FEED.reported("\"activity_type\":\"error\""));
    IDS.add(FEED.reported("\"activity_type\":\"a2a_receive\",\"method\":\"self-made\""));
    IDS.add(FEED.receive(FEED.id(), "9"));
  }

  @BeforeAll
  static void fill() {
    Race.run(
        16,
        runner -> {
          for (int i = 0; i < 32; i++) {
            LONG.receive(null, runner + "." + i);
          }
          return runner;
        });
  }

  @ParameterizedTest
  @CsvSource({
    "agent_log, 1",
    "task_update, 5",
    "error, 7",
    "a2a_receive, 9 8 6 4 3 2",
    "a2a_send, ''",
    "A2A_RECEIVE, ''",
    "delegation, ''",
    "no_such_type, ''",
    "%00, ''",
    "a%00b%F0%9F%9A%80%25', ''"
  })
  void givesTheRowsOfAType(String type, String seqs) {
    assertThat(FEED.seqsForAdmin("?type=" + type)).isEqualTo(numbers(seqs));
  }

  @Test
  void givesTheRowsFromAndToAPeer() {
    assertThat(FEED.seqsForAdmin("?peer_id=" + PEER)).containsExactly(5L, 2L);
    assertThat(FEED.seqsForAdmin("?peer_id=" + PEER.toString().toUpperCase(java.util.Locale.ROOT)))
        .containsExactly(5L, 2L);
    assertThat(FEED.seqsForAdmin("?peer_id=" + ANOTHER)).containsExactly(6L);
    assertThat(FEED.seqsForAdmin("?peer_id=" + UUID.randomUUID())).isEmpty();
    assertThat(FEED.seqsForAdmin("?peer_id=" + FEED.id())).contains(9L, 8L, 7L, 6L, 5L, 3L, 2L, 1L);
  }

  @Test
  void givesTheRowsOfTheCanvasOrOfWorkspaces() {
    assertThat(FEED.seqsForAdmin("?source=canvas")).containsExactly(4L, 3L);
    assertThat(FEED.seqsForAdmin("?source=agent")).containsExactly(9L, 8L, 7L, 6L, 5L, 2L, 1L);
  }

  @Test
  void continuesAfterACursorOldestFirst() {
    assertThat(FEED.seqsForAdmin("?since_id=" + IDS.get(5))).containsExactly(7L, 8L, 9L);
    assertThat(FEED.seqsForAdmin("?since_id=" + IDS.get(8))).isEmpty();
    assertThat(FEED.seqsForAdmin("?since_id=" + IDS.get(5).toUpperCase(java.util.Locale.ROOT)))
        .containsExactly(7L, 8L, 9L);
  }

  @ParameterizedTest
  @CsvSource({
    "type=a2a_receive&since_id={2}, 3 4 6 8 9",
    "type=a2a_receive&since_id={1}, 2 3 4 6 8 9",
    "type=agent_log&since_id={1}, ''",
    "since_id={3}&limit=2, 4 5",
    "since_id={3}&order=desc, 9 8 7 6 5 4",
    "since_id={3}&order=desc&limit=2, 9 8",
    "since_id={3}&since_secs=3600, 4 5 6 7 8 9",
    "since_id={1}&source=agent&limit=2, 2 5",
    "since_id={3}&peer_id={peer}, 5",
    "order=asc, 1 2 3 4 5 6 7 8 9",
    "order=desc, 9 8 7 6 5 4 3 2 1",
    "order=asc&limit=3, 1 2 3",
    "type=a2a_receive&order=asc, 2 3 4 6 8 9",
    "type=a2a_receive&source=canvas, 4 3",
    "type=a2a_receive&source=agent, 9 8 6 2",
    "type=task_update&peer_id={peer}, 5",
    "type=error&peer_id={peer}, ''",
    "source=canvas&peer_id={peer}, ''",
    "source=agent&peer_id={peer}&order=asc, 2 5",
    "source=agent&limit=3&order=asc, 1 2 5",
    "source=canvas&limit=1, 4",
    "peer_id={peer}&limit=1, 5",
    "since_secs=3600&type=a2a_receive&limit=2, 9 8",
    "include=notify, 9 8 7 6 5 4 3 2 1",
    "type=error&unknown=1&since=x, 7"
  })
  void combinesParameters(String query, String seqs) {
    assertThat(FEED.seqsForAdmin("?" + filledIn(query))).isEqualTo(numbers(seqs));
  }

  private static String filledIn(String query) {
    String filled = query.replace("{peer}", PEER.toString());
    for (int i = 1; i <= IDS.size(); i++) {
      filled = filled.replace("{" + i + "}", IDS.get(i - 1));
    }
    return filled;
  }

  @Test
  void givesOnlyTheLastSeconds() {
    TestFeed feed = TestFeed.create("Seconds");
    String old = feed.log("old");
    String older = feed.log("older");
    feed.log("new");
    age(feed, old, "7200 seconds");
    age(feed, older, "3601 seconds");

    assertThat(feed.seqsForAdmin("?since_secs=3600")).containsExactly(3L);
    assertThat(feed.seqsForAdmin("?since_secs=3700")).containsExactly(3L, 2L);
    assertThat(feed.seqsForAdmin("?since_secs=2592000")).containsExactly(3L, 2L, 1L);
    assertThat(feed.seqsForAdmin("?since_secs=3600&type=agent_log&order=asc")).containsExactly(3L);
    String oldNow = StoredRows.id(feed.server().database(), feed.id(), 1);
    assertThat(feed.seqsForAdmin("?since_secs=3600&since_id=" + oldNow)).containsExactly(3L);
  }

  @Test
  void clampsTheSeconds() {
    TestFeed feed = TestFeed.create("Clamped");
    String ancient = feed.log("31 days old");
    String old = feed.log("29 days old");
    age(feed, ancient, "31 days");
    age(feed, old, "29 days");

    assertThat(feed.seqsForAdmin("?since_secs=2592001")).containsExactly(2L);
    assertThat(feed.seqsForAdmin("?since_secs=1" + "0".repeat(30))).containsExactly(2L);
    assertThat(feed.seqsForAdmin("?since_secs=0")).isEmpty();
    assertThat(feed.seqsForAdmin("?since_secs=-1")).isEmpty();
    assertThat(feed.seqsForAdmin("")).containsExactly(2L, 1L);
  }

  private static void age(TestFeed feed, String id, String by) {
    feed.server()
        .database()
        .execute(
            "UPDATE activity_logs l SET created_at = now() - interval '"
                + by
                + "'"
                + StoredRows.where(feed.server().database(), id));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", "1e3", "0x10", "1s", "NaN", "%00", "1%202"})
  void refusesSecondsThatAreNotANumber(String seconds) {
    assertRefused(FEED.getAsAdmin("?since_secs=" + seconds), 400, "VALIDATION_FAILED");
  }

  @Test
  void givesRowsStrictlyOlderThanATime() {
    JsonNode rows = FEED.rowsForAdmin("?order=asc");
    for (int seq = 1; seq <= 9; seq++) {
      String created = rows.path(seq - 1).path("created_at").asString();
      List<Long> older =
          LongStream.range(1, seq)
              .mapToObj(one -> seqAt(rows, one, created))
              .filter(n -> n > 0)
              .toList();

      assertThat(FEED.seqsForAdmin("?order=asc&before_ts=" + created)).isEqualTo(older);
    }
  }

  private static Long seqAt(JsonNode rows, long seq, String before) {
    String created = rows.path((int) seq - 1).path("created_at").asString();
    return Instant.parse(created).isBefore(Instant.parse(before)) ? seq : 0;
  }

  @Test
  void readsATimeWithAnyOffset() {
    Instant fifth =
        Instant.parse(FEED.rowsForAdmin("?order=asc").path(4).path("created_at").asString());
    for (int hours : new int[] {-11, 0, 1, 14}) {
      String time = OffsetDateTime.ofInstant(fifth, ZoneOffset.ofHours(hours)).toString();

      for (String written : new String[] {time.replace("+", "%2B"), time}) {
        assertThat(FEED.seqsForAdmin("?before_ts=" + written)).containsExactly(4L, 3L, 2L, 1L);
        assertThat(FEED.seqsForAdmin("?limit=2&type=a2a_receive&before_ts=" + written))
            .containsExactly(4L, 3L);
        assertThat(FEED.seqsForAdmin("?peer_id=" + PEER + "&limit=1&before_ts=" + written))
            .containsExactly(2L);
      }
    }
    assertThat(
            FEED.seqsForAdmin("?before_ts=" + fifth.toString().toLowerCase(java.util.Locale.ROOT)))
        .containsExactly(4L, 3L, 2L, 1L);
  }

  @ParameterizedTest
  @CsvSource({
    "9999-12-31T23:59:59Z, 9",
    "9999-12-31T23:59:59.999999999-18:00, 9",
    "2999-01-01T00:00:00.5Z, 9",
    "1970-01-01T00:00:00Z, 0",
    "0001-01-01T00:00:00Z, 0",
    "0000-01-01T00:00:00%2B18:00, 0"
  })
  void readsATimeOfAnyYear(String time, int rows) {
    assertThat(FEED.seqsForAdmin("?before_ts=" + time)).hasSize(rows);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "now",
        "1763755200",
        "2026-11-21",
        "2026-11-21T20:00:00",
        "2026-13-21T20:00:00Z",
        "2026-02-30T20:00:00Z",
        "2026-11-21T25:00:00Z",
        "10000-01-01T00:00:00Z",
        "2026-11-21T20:00:00%2B25:00",
        "2026-11-21T20:00:00Z%00",
        "'2026-11-21T20:00:00Z'"
      })
  void refusesTextsThatAreNotATime(String time) {
    assertRefused(FEED.getAsAdmin("?before_ts=" + time), 400, "VALIDATION_FAILED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1", "%00", "00000000-0000-0000-0000-00000000000", "1-1-1-1-1"})
  void refusesAPeerThatIsNotAnId(String peer) {
    assertRefused(FEED.getAsAdmin("?peer_id=" + peer), 400, "INVALID_ID");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "source=x",
        "source=Canvas",
        "source=self",
        "source=canvas_user",
        "source=canvas,agent",
        "source=%00",
        "order=ASC",
        "order=up",
        "order=asc,desc",
        "wait=61",
        "wait=-1",
        "wait=x",
        "wait=1.5",
        "wait=1e1",
        "wait=1000000000000000000000000000000",
        "wait=%00"
      })
  void refusesUnknownWordsAndWaits(String parameter) {
    assertRefused(FEED.getAsAdmin("?" + parameter), 400, "VALIDATION_FAILED");
    assertRefused(FEED.get("?type=a2a_receive&" + parameter), 400, "VALIDATION_FAILED");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 100",
    "limit=1, 1",
    "limit=100, 100",
    "limit=499, 499",
    "limit=500, 500",
    "limit=501, 500",
    "limit=1000000000000000000000000000000, 500",
    "limit=0, 100",
    "limit=-1, 100",
    "limit=-1000000000000000000000000000000, 100",
    "limit=abc, 100",
    "limit=1.5, 100",
    "limit=, 100",
    "limit=%00, 100"
  })
  void clampsTheLimit(String parameter, int rows) {
    assertThat(LONG.rowsForAdmin("?" + parameter)).hasSize(rows);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"wait=60", "wait=0", "wait=1", "include=", "include=x", "include=%00,,%20notify,"})
  void answersAtOnceWhenThereAreRows(String parameter) {
    assertThat(FEED.seqsForAdmin("?" + parameter)).hasSize(9);
  }

  @Test
  void ignoresEmptyParameters() {
    String all =
        "?type=&since_id=&since_secs=&before_ts=&peer_id=&source=&limit=&order=&wait=&include=";

    assertThat(FEED.rowsForAdmin(all)).isEqualTo(FEED.rowsForAdmin(""));
    assertThat(FEED.rowsForAdmin("?type&since_id&limit&order&wait&include"))
        .isEqualTo(FEED.rowsForAdmin(""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "type=error&type=agent_log",
        "limit=1&limit=2",
        "order=asc&order=desc",
        "wait=0&wait=x",
        "source=canvas&source=agent",
        "include=notify&include=self"
      })
  void readsTheFirstOfRepeatedParameters(String query) {
    String first = query.substring(0, query.indexOf('&'));

    assertThat(FEED.rowsForAdmin("?" + query)).isEqualTo(FEED.rowsForAdmin("?" + first));
  }

  private static List<Long> numbers(String text) {
    return text.isEmpty()
        ? List.of()
        : List.of(text.split(" ", -1)).stream().map(Long::valueOf).toList();
  }
}
