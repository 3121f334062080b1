package dev.muster.activity;

import dev.muster.testing.TestDatabases.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How PostgreSQL runs the statements that read feeds, over one feed of many rows among many others
 * whose rows lie between its own.
 */
public final class FeedPlans {

  /** The large feed's rows, and those of all feeds; the others have a thousand rows each. */
  public record Size(long large, long all) {}

  /**
   * One reading: a statement, the values of some of its parameters as SQL, and the indexes that it
   * is to go along.
   */
  record Reading(String name, String statement, Map<String, String> values, List<String> indexes) {}

  /** {@code nodes} are the plan's kinds of nodes; {@code blocks} are the pages it looked at. */
  record Plan(
      List<String> nodes, List<String> indexes, long rows, long blocks, double ms, String text) {}

  static final String FEED = "00000000-0000-4000-8000-000000000000";
  private static final String PEER = "00000000-0000-4000-8000-000000000001";

  /** Of fewer the heads are read from the first to the last, which is as quick. */
  private static final long FEWEST_HEADS = 5_000;

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z_]+)");

  /** Every parameter of the statements, in the order in which they are numbered here. */
  private static final Map<String, String> TYPES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("after", "bigint"),
              Map.entry("before", "timestamptz"),
              Map.entry("from_agents", "boolean"),
              Map.entry("from_chat", "boolean"),
              Map.entry("largest", "integer"),
              Map.entry("limit", "integer"),
              Map.entry("peer", "uuid"),
              Map.entry("secs", "double precision"),
              Map.entry("seqs", "bigint[]"),
              Map.entry("since", "uuid"),
              Map.entry("type", "text"),
              Map.entry("up_to", "bigint"),
              Map.entry("with_notifications", "boolean"),
              Map.entry("without_own", "boolean"),
              Map.entry("workspace_id", "uuid")));

  private static final Map<String, String> USUAL =
      Map.ofEntries(
          Map.entry("after", "0"),
          Map.entry("before", "NULL"),
          Map.entry("from_agents", "false"),
          Map.entry("from_chat", "false"),
          Map.entry("largest", "262144"),
          Map.entry("limit", "100"),
          Map.entry("peer", "NULL"),
          Map.entry("secs", "NULL"),
          Map.entry("seqs", "'{}'"),
          Map.entry("since", "NULL"),
          Map.entry("type", "NULL"),
          Map.entry("up_to", "9223372036854775807"),
          Map.entry("with_notifications", "false"),
          Map.entry("without_own", "false"),
          Map.entry("workspace_id", "'" + FEED + "'"));

  private final TestDatabase database;
  private final Size size;

  /** In an empty database. */
  public FeedPlans(Size size, TestDatabase database) {
    this.size = size;
    this.database = database;
    long others = (size.all() - size.large()) / 1000;
    Flyway.configure().dataSource(database.url(), null, null).load().migrate();
    makeWorkspaces(Math.max(others, FEWEST_HEADS));
    fill(others);
    database.execute("VACUUM ANALYZE activity_logs");
    database.execute("VACUUM ANALYZE activity_feeds");
  }

  private void makeWorkspaces(long number) {
    database.execute(
        """
        INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
            updated_at)
        SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'busy', 3, 'external', '', 'poll', 1, 0, 0,
            now(), now()
        FROM generate_series(0, %d) AS n;
        INSERT INTO activity_feeds (workspace_id) SELECT id FROM workspaces ON CONFLICT DO NOTHING
        """
            .formatted(number));
  }

  /**
   * In the order of time, the large feed's rows among the others'. Of its rows six in ten are the
   * agent's own reports, three messages of ten peers, one is what was said at the canvas.
   */
  private void fill(long others) {
    database.execute(
        """
        UPDATE activity_feeds SET last_seq = %1$d, last_created_at = now();
        INSERT INTO activity_logs (
            id, workspace_id, seq, activity_type, source, source_id, target_id, method, summary, request_body, status,
            message_text, message_id, request_bytes, listed_bytes, created_at, feed_bytes)
        SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
                || substr(noise, 4, 15))::uuid,
            feed, seq,
            CASE WHEN kind < 5 THEN 'agent_log' WHEN kind = 5 THEN 'task_update' ELSE 'a2a_receive' END,
            CASE WHEN kind <= 5 THEN 'self' WHEN kind < 9 THEN 'peer_agent' WHEN seq %% 3 = 0 THEN 'self'
                ELSE 'canvas_user' END,
            CASE WHEN kind <= 5 THEN feed
                WHEN kind < 9 THEN ('00000000-0000-4000-8000-' || lpad((1 + seq / 10 %% 10)::text, 12, '0'))::uuid END,
            CASE WHEN kind >= 6 THEN feed END,
            CASE WHEN kind = 9 AND seq %% 3 = 0 THEN 'notify' ELSE 'message/send' END,
            'a summary of some words', '{"a":1}', 'ok', 'hello',
            CASE WHEN kind >= 6 AND NOT (kind = 9 AND seq %% 3 = 0) THEN 'm-' || seq END, 7, 800, at, 0
        FROM (
            SELECT *, md5(random()::text) AS noise, seq %% 10 AS kind,
                now() - interval '6 days' + n * interval '6 days' / %2$d AS at
            FROM (
                SELECT n, CASE WHEN n %% %3$d = 0 THEN 0 ELSE 1 + n %% %4$d END AS feed_number
                FROM generate_series(1, %2$d) AS n) AS numbered
            CROSS JOIN LATERAL (
                SELECT lpad(feed_number::text, 12, '0')) AS padded (digits)
            CROSS JOIN LATERAL (SELECT ('00000000-0000-4000-8000-' || digits)::uuid) AS named (feed)
            CROSS JOIN LATERAL (SELECT CASE WHEN feed_number = 0 THEN n / %3$d ELSE n END) AS counted (seq)
            ) AS rows
        ORDER BY n;
        """
            .formatted(size.large(), size.all(), size.all() / size.large(), others));
  }

  /** Every kind of reading, at the large feed's begin, middle or end. */
  List<Reading> readings() {
    String middle = Long.toString(size.large() / 2);
    String end = Long.toString(size.large() - 20);
    Map<String, String> inbox = Map.of("type", "'a2a_receive'", "without_own", "true");
    return List.of(
        list("poll from the begin", FeedIndex.INBOX, true, "activity_logs_inbox", inbox),
        list(
            "poll from the middle",
            FeedIndex.INBOX,
            true,
            "activity_logs_inbox",
            with(inbox, "after", middle)),
        list(
            "poll at the end",
            FeedIndex.INBOX,
            true,
            "activity_logs_inbox",
            with(inbox, "after", end)),
        list("canvas feed", FeedIndex.ALL, false, "activity_logs_in_order", Map.of()),
        list(
            "canvas feed before a time",
            FeedIndex.ALL,
            false,
            "activity_logs_in_order",
            Map.of("up_to", middle)),
        list(
            "whole feed after a row",
            FeedIndex.ALL,
            true,
            "activity_logs_in_order",
            Map.of("after", middle)),
        list(
            "of a type",
            FeedIndex.OF_TYPE,
            false,
            "activity_logs_of_type",
            Map.of("type", "'task_update'")),
        list(
            "of a type that is not there",
            FeedIndex.OF_TYPE,
            false,
            "activity_logs_of_type",
            Map.of("type", "'skill_promotion'")),
        new Reading(
            "conversation at the canvas",
            FeedPages.CONVERSATION,
            Map.of(),
            List.of("activity_logs_chat")),
        new Reading(
            "conversation before a time",
            FeedPages.CONVERSATION,
            Map.of("up_to", middle),
            List.of("activity_logs_chat")),
        list("chat", FeedIndex.CHAT, false, "activity_logs_chat", Map.of("from_chat", "true")),
        list(
            "with a peer",
            FeedIndex.WITH_PEER,
            false,
            "activity_logs_with_peer",
            Map.of("peer", "'" + PEER + "'")),
        new Reading(
            "where to begin",
            FeedPages.MARKS,
            Map.of(
                "since", "'" + idOf(size.large() / 2) + "'",
                "secs", "3600",
                "before", "now() - interval '3 days'"),
            List.of("activity_feeds_pkey", "activity_logs_pkey", "activity_logs_by_time")),
        new Reading(
            "a page of rows",
            FeedPages.ROWS,
            Map.of("seqs", "'{" + everyTenth() + "}'"),
            List.of("activity_logs_in_order")));
  }

  private String idOf(long seq) {
    return database.value(
        "SELECT id FROM activity_logs WHERE workspace_id = '%s' AND seq = %d".formatted(FEED, seq));
  }

  private static String everyTenth() {
    return IntStream.rangeClosed(1, 100)
        .mapToObj(i -> Integer.toString(10 * i))
        .collect(Collectors.joining(","));
  }

  private static Map<String, String> with(Map<String, String> values, String name, String value) {
    Map<String, String> more = new HashMap<>(values);
    more.put(name, value);
    return more;
  }

  private static Reading list(
      String name,
      FeedIndex index,
      boolean oldestFirst,
      String expected,
      Map<String, String> values) {
    return new Reading(name, index.statement(oldestFirst), values, List.of(expected));
  }

  /**
   * Runs it and returns how; {@code mode} is PostgreSQL's {@code plan_cache_mode}: a plan for these
   * values, or one for any.
   */
  Plan explain(Reading reading, String mode) throws SQLException {
    List<String> names = List.copyOf(TYPES.keySet());
    String numbered =
        PARAMETER
            .matcher(reading.statement())
            .replaceAll((MatchResult m) -> "\\$" + (1 + names.indexOf(m.group(1))));
    List<String> values = new ArrayList<>();
    for (String name : names) {
      values.add(reading.values().getOrDefault(name, String.valueOf(USUAL.get(name))));
    }
    String execute = "EXECUTE reading (" + String.join(", ", values) + ")";
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET plan_cache_mode = " + mode);
      statement.execute("SET jit = off");
      statement.execute(
          "PREPARE reading (" + String.join(", ", TYPES.values()) + ") AS " + numbered);
      run(statement, execute); // once for the caches
      JsonNode plan =
          JSON.readTree(
                  run(statement, "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, FORMAT JSON) " + execute))
              .path(0);
      String text = run(statement, "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + execute);
      return plan(plan, text);
    }
  }

  private static String run(Statement statement, String sql) throws SQLException {
    StringBuilder lines = new StringBuilder();
    try (var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        lines.append(rows.getString(1)).append('\n');
      }
    }
    return lines.toString();
  }

  private static Plan plan(JsonNode explained, String text) {
    JsonNode top = explained.path("Plan");
    List<String> nodes = new ArrayList<>();
    List<String> indexes = new ArrayList<>();
    collect(top, nodes, indexes);
    return new Plan(
        nodes,
        indexes,
        top.path("Actual Rows").asLong(),
        top.path("Shared Hit Blocks").asLong() + top.path("Shared Read Blocks").asLong(),
        explained.path("Execution Time").asDouble(),
        text);
  }

  private static void collect(JsonNode node, List<String> nodes, List<String> indexes) {
    nodes.add(node.path("Node Type").asString());
    if (node.has("Index Name")) {
      indexes.add(node.path("Index Name").asString());
    }
    node.path("Plans").forEach(child -> collect(child, nodes, indexes));
  }

  /** All plans for any values, with their times, as text. */
  public String describe() throws SQLException {
    StringBuilder text = new StringBuilder();
    StringBuilder table =
        new StringBuilder(
            """
            | reading | index | rows | pages looked at | ms, plan for these values / for any |
            |---|---|---|---|---|
            """);
    for (Reading reading : readings()) {
      Plan custom = explain(reading, "force_custom_plan");
      Plan generic = explain(reading, "force_generic_plan");
      text.append("-- ").append(reading.name()).append('\n').append(generic.text()).append('\n');
      table.append(
          "| %s | %s | %d | %d | %.2f / %.2f |%n"
              .formatted(
                  reading.name(),
                  String.join(", ", generic.indexes()),
                  generic.rows(),
                  generic.blocks(),
                  custom.ms(),
                  generic.ms()));
    }
    return text.append(table).toString();
  }
}
