package dev.muster.console.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.runtime.TaskName;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A page of a timeline, and a trace, read what they show by indexes, however much is there. */
@Slow
@Tag("sql")
class TimelinePlansTest {

  private static final String BUSY = "00000000-0000-4000-8000-000000000000";
  private static final int LIMIT = 100;
  private static final UUID KEY = TaskName.named("d-1").key();

  /** A page of 8 KiB holds some rows; each row is found by a few steps in an index. */
  private static final long MAX_BLOCKS = 12L * LIMIT;

  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z_]+)");

  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("workspace_id", "'" + BUSY + "'::uuid"),
          Map.entry("limit", String.valueOf(LIMIT)),
          Map.entry("before_id", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"),
          Map.entry("delegation_id", "'d-1'"),
          Map.entry("most", String.valueOf(LIMIT)),
          Map.entry("ids", "ARRAY(SELECT 'd-' || n FROM generate_series(1, 100) AS n)"),
          Map.entry(
              "workspaces", "ARRAY(SELECT '" + BUSY + "'::uuid FROM generate_series(1, 100))"),
          Map.entry("of_a_side", "20"),
          Map.entry("of_a_task", "10"),
          Map.entry(
              "keys",
              "ARRAY(SELECT CASE n WHEN 1 THEN '"
                  + KEY
                  + "'::uuid ELSE md5(n::text)::uuid END FROM generate_series(1, 100) AS n)"));

  private static TestServer server;

  @BeforeAll
  static void fill() {
    server = TestServer.start("EVENT_RETENTION_DAYS=10000");
    server
        .database()
        .execute(
            """
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, target_id, method, status,
                message_id, delegation_id, message_text, listed_bytes, created_at, feed_bytes)
            SELECT w.id, n, 'p', 'a2a_receive', 'peer_agent', w.id, w.id, 'message/send', 'ok', 'm-' || n,
                CASE WHEN n %% 10 = 0 THEN 'd-' || n / 10 END, repeat('text ', 20), 100,
                now() - interval '1 day' + n * interval '0.5 s', 0
            FROM (SELECT ('00000000-0000-4000-8000-' || lpad(w::text, 12, '0'))::uuid AS id,
                CASE w WHEN 0 THEN 60000 ELSE 1000 END AS rows FROM generate_series(0, 60) AS w) AS w,
                LATERAL generate_series(1, w.rows) AS n;
            INSERT INTO delivery_outcomes (workspace_id, seq, state, deliveries, answer_status, answer_type, listed_bytes,
                ended_at, kind, priority, attempts, enqueued_at, expires_at)
            SELECT workspace_id, seq, 'answered', 1, 200, '', 0, created_at, 'message', 50, 1, created_at, created_at
            FROM activity_logs WHERE seq %% 2 = 0;
            INSERT INTO events (id, seq, event_type, workspace_id, payload, created_at)
            SELECT gen_random_uuid(), 1000 + row_number() OVER (), CASE seq %% 3 WHEN 0 THEN 'WORKSPACE_ONLINE' ELSE
                'DELEGATION_STATUS' END, workspace_id, '{"status":"online"}', created_at FROM activity_logs;
            UPDATE event_head SET last_seq = 1000000;
            INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
                parent_delegation_id, created_at, updated_at)
            SELECT 'd-' || n, gen_random_uuid(), CASE n %% 3 WHEN 0 THEN '%1$s'::uuid ELSE gen_random_uuid() END,
                CASE n %% 3 WHEN 1 THEN '%1$s'::uuid ELSE gen_random_uuid() END, 'task', 'completed', 60, now(),
                CASE WHEN n > 1 THEN 'd-' || n / 10 END, now() - interval '1 day' + n * interval '0.5 s', now()
            FROM generate_series(1, 60000) AS n;
            INSERT INTO runtime_runs (workspace_id, first_seq, task_key, task_name, started_at, last_event_at)
            SELECT workspace_id, seq * 2, CASE seq WHEN 70 THEN '%2$s'::uuid ELSE md5('t' || seq %% 5000)::uuid END, 't', created_at, created_at FROM activity_logs;
            """
                .formatted(BUSY, KEY));
    server.database().execute("VACUUM ANALYZE");
  }

  @AfterAll
  static void close() {
    server.close();
  }

  static Stream<Arguments> readings() {
    String place = "9000000000000000";
    return Stream.of(
        Arguments.of("events", EventSource.PAGE, place),
        Arguments.of("events, in the middle", EventSource.PAGE, "30000"),
        Arguments.of("feed", FeedSource.PAGE, place),
        Arguments.of("feed, in the middle", FeedSource.PAGE, "30000"),
        Arguments.of("delegations", DelegationSource.PAGE, "'9999-12-31T00:00:00Z'::timestamptz"),
        Arguments.of("runs", RunSource.PAGE, place),
        Arguments.of("upwards", TraceRepository.UPWARDS, place),
        Arguments.of("downwards", TraceRepository.DOWNWARDS, place),
        Arguments.of("delegations of a trace", TraceRepository.DELEGATIONS, place),
        Arguments.of("messages of a trace", TraceRepository.MESSAGES, place),
        Arguments.of("runs of a trace", TraceRepository.RUNS, place));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readings")
  void readsByIndexes(String name, String statement, String before) {
    String sql =
        PARAMETER
            .matcher(statement)
            .replaceAll((MatchResult parameter) ->
                Matcher.quoteReplacement(
                    parameter.group(1).equals("before")
                        ? before
                        : VALUES.getOrDefault(parameter.group(1), "?")));
    String text =
        server.database().value("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) " + sql);
    JsonNode plan = JsonMapper.shared().readTree(text).path(0).path("Plan");

    assertThat(scannedWhole(plan)).as(text).isFalse();
    assertThat(plan.path("Actual Rows").asDouble()).as(text).isPositive();
    assertThat(plan.path("Shared Hit Blocks").asLong() + plan.path("Shared Read Blocks").asLong())
        .as(text)
        .isLessThan(MAX_BLOCKS);
  }

  /** The table of open deliveries is as small as the work in hand. */
  private static boolean scannedWhole(JsonNode node) {
    boolean isWhole =
        node.path("Node Type").asString().equals("Seq Scan")
            && !node.path("Relation Name").asString().equals("deliveries");
    return isWhole || node.path("Plans").valueStream().anyMatch(TimelinePlansTest::scannedWhole);
  }

  @Test
  void findsAPlaceByItsTimeInAFewSteps() {
    var feed = server.bean(FeedSource.class);
    var id = UUID.fromString(BUSY);
    for (String seq : new String[] {"2", "777", "30000", "60000"}) {
      String at =
          server
              .database()
              .value(
                  "SELECT to_char(created_at AT TIME ZONE 'UTC',"
                      + " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM activity_logs WHERE"
                      + " workspace_id = '"
                      + BUSY
                      + "' AND seq = "
                      + seq);
      Instant time = Instant.parse(at);
      assertThat(feed.placeOf(id, time).number()).isEqualTo(Long.parseLong(seq));
      assertThat(feed.placeOf(id, time.plusNanos(1000)).number())
          .isEqualTo(seq.equals("60000") ? 253_402_300_799_999_999L : Long.parseLong(seq) + 1);
      assertThat(server.bean(RunSource.class).placeOf(id, time).number())
          .isBetween(2 * Long.parseLong(seq) - 1, 2 * Long.parseLong(seq));
    }
  }
}
