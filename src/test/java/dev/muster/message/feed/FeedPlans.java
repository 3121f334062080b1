package dev.muster.message.feed;

import static java.util.Objects.requireNonNull;

import dev.muster.testing.TestDatabases.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the plans of the statements that read feeds: one large feed whose rows lie between those of
 * many others.
 */
public final class FeedPlans {

  /** The large feed's rows, and those of all feeds; the others have a thousand rows each. */
  public record Size(long large, long all) {}

  /**
   * One reading: a statement, SQL values of some of its parameters, the indexes that it must use,
   * and the maximum number of rows that it may find by them.
   */
  record Reading(
      String name, String statement, Map<String, String> values, Set<String> indexes, long most) {

    private String value(String name) {
      @Nullable String given = values.get(name);
      if (given != null) {
        return given;
      }
      return name.equals("after_delivered") ? value("after") : requireNonNull(USUAL.get(name));
    }

    /** Whether it filters rows that its index does not distinguish. */
    boolean passesRowsBy() {
      return values.containsKey("without_delivered");
    }
  }

  /**
   * {@code nodes} are the plan's kinds of nodes; {@code found} are rows of feeds found by an index,
   * {@code passedBy} those that were then filtered out, {@code lookUps} those of outcomes; {@code
   * blocks} are the pages read.
   */
  record Plan(
      Set<String> nodes,
      Set<String> indexesOfFeeds,
      Set<String> otherIndexes,
      long rows,
      long found,
      long passedBy,
      long lookUps,
      long blocks,
      double ms,
      String text) {}

  static final int LIMIT = 100;
  private static final int EXAMINED = 1000;

  static final String FEED = "00000000-0000-4000-8000-000000000000";
  private static final String PEER = "00000000-0000-4000-8000-000000000001";

  /** With fewer feeds PostgreSQL scans the heads, which is as fast. */
  private static final long FEWEST_HEADS = 5_000;

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z_]+)");

  /** Every parameter of the statements, in the order of their numbers here. */
  private static final Map<String, String> TYPES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("after", "bigint"),
              Map.entry("after_delivered", "bigint"),
              Map.entry("afters", "bigint[]"),
              Map.entry("before", "timestamptz"),
              Map.entry("classes", "text[]"),
              Map.entry("examined", "integer"),
              Map.entry("feeds", "uuid[]"),
              Map.entry("from_agents", "boolean"),
              Map.entry("from_chat", "boolean"),
              Map.entry("largest", "integer"),
              Map.entry("limit", "integer"),
              Map.entry("most", "integer"),
              Map.entry("peer", "uuid"),
              Map.entry("secs", "double precision"),
              Map.entry("seqs", "bigint[]"),
              Map.entry("since", "bigint"),
              Map.entry("type", "text"),
              Map.entry("up_to", "bigint"),
              Map.entry("with_notifications", "boolean"),
              Map.entry("without_delivered", "boolean"),
              Map.entry("without_own", "boolean"),
              Map.entry("workspace_id", "uuid")));

  private static final Map<String, String> USUAL =
      Map.ofEntries(
          Map.entry("after", "0"),
          Map.entry("afters", "'{}'"),
          Map.entry("before", "NULL"),
          Map.entry("classes", "'{}'"),
          Map.entry("examined", Integer.toString(EXAMINED)),
          Map.entry("feeds", "'{}'"),
          Map.entry("from_agents", "false"),
          Map.entry("from_chat", "false"),
          Map.entry("largest", "262144"),
          Map.entry("limit", Integer.toString(LIMIT)),
          Map.entry("most", Integer.toString(EXAMINED)),
          Map.entry("peer", "NULL"),
          Map.entry("secs", "NULL"),
          Map.entry("seqs", "'{}'"),
          Map.entry("since", "NULL"),
          Map.entry("type", "NULL"),
          Map.entry("up_to", "9223372036854775807"),
          Map.entry("with_notifications", "false"),
          Map.entry("without_delivered", "false"),
          Map.entry("without_own", "false"),
          Map.entry("workspace_id", "'" + FEED + "'"));

  private final TestDatabase database;
  private final Size size;

  /** Feeds with rows of most classes, in an empty database. */
  public static FeedPlans ofManyClasses(Size size, TestDatabase database) {
    FeedPlans plans = new FeedPlans(size, database);
    database.execute("VACUUM ANALYZE");
    return plans;
  }

  /**
   * Feeds whose rows are all messages of one peer, in an empty database: nothing tells the planner
   * that other classes and other peers have no rows.
   */
  static FeedPlans ofOneClass(Size size, TestDatabase database) {
    FeedPlans plans = new FeedPlans(size, database);
    database.execute(
        """
        UPDATE activity_logs SET class = 'p', activity_type = 'a2a_receive', source = 'peer_agent',
            source_id = '00000000-0000-4000-8000-000000000002', target_id = workspace_id
        """);
    database.execute("VACUUM FULL activity_logs");
    database.execute("VACUUM ANALYZE");
    return plans;
  }

  private FeedPlans(Size size, TestDatabase database) {
    this.size = size;
    this.database = database;
    long others = (size.all() - size.large()) / 1000;
    Flyway.configure().dataSource(database.url(), null, null).load().migrate();
    makeWorkspaces(Math.max(others, FEWEST_HEADS));
    fill(others);
    deliver();
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
   * In order of time, the large feed's rows among the others'. Of its rows six in ten are the
   * agent's own reports, three are messages of ten peers, one is from the canvas.
   */
  private void fill(long others) {
    database.execute(
        """
        UPDATE activity_feeds SET last_seq = %1$d, last_created_at = now();
        INSERT INTO activity_logs (
            workspace_id, seq, class, activity_type, source, source_id, target_id, method, summary, request_body, status,
            message_text, message_id, request_bytes, listed_bytes, created_at, feed_bytes)
        SELECT feed, seq,
            CASE WHEN kind < 5 THEN 'L' WHEN kind = 5 THEN 'T' WHEN kind < 9 THEN 'p' WHEN seq %% 3 = 0 THEN 'n'
                ELSE 'c' END,
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
            SELECT *, seq %% 10 AS kind,
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

  /**
   * Half of the messages were delivered, in the large feed only old ones; a few are in progress.
   */
  private void deliver() {
    database.execute(
        """
        INSERT INTO delivery_outcomes (
            workspace_id, seq, state, owner, claim, deliveries, answer_status, answer_type, response, response_bytes,
            listed_bytes, status, duration_ms, ended_at, kind, sender_id, priority, attempts, enqueued_at, expires_at)
        SELECT workspace_id, seq, 'answered', workspace_id, seq, 1, 200, 'application/json', '{"a":1}', 7, 7, 'ok', 3,
            created_at, 'message', source_id, 50, 1, created_at, created_at
        FROM activity_logs
        WHERE message_id IS NOT NULL AND seq %% 2 = 0 AND (workspace_id <> '%1$s' OR seq < %2$d);
        INSERT INTO deliveries (
            workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        SELECT workspace_id, seq, source_id, 'message', true, 1, 50, created_at, created_at, created_at
        FROM activity_logs WHERE message_id IS NOT NULL AND seq %% 61 = 0;
        """
            .formatted(FEED, size.large() / 2));
  }

  /** Every kind of reading, at the beginning, middle or end of the large feed. */
  List<Reading> readings() {
    String middle = Long.toString(size.large() / 2);
    String end = Long.toString(size.large() - 20);
    long halvings = 64L - Long.numberOfLeadingZeros(size.large());
    Map<String, String> inbox =
        Map.of("type", "'a2a_receive'", "without_own", "true", "classes", "'{c,p,s}'");
    return List.of(
        list("poll from the begin", FeedIndex.BY_CLASS, true, "activity_logs_by_class", inbox),
        list(
            "poll from the middle",
            FeedIndex.BY_CLASS,
            true,
            "activity_logs_by_class",
            with(inbox, "after", middle)),
        list(
            "poll at the end",
            FeedIndex.BY_CLASS,
            true,
            "activity_logs_by_class",
            with(inbox, "after", end)),
        list(
            "poll after what is acknowledged",
            FeedIndex.BY_CLASS,
            true,
            "activity_logs_by_class",
            with(with(inbox, "after", middle), "without_delivered", "true")),
        list(
            "poll with own notifications",
            FeedIndex.BY_CLASS,
            true,
            "activity_logs_by_class",
            with(
                with(with(inbox, "after", middle), "with_notifications", "true"),
                "classes",
                "'{c,p,s,n}'")),
        list(
            "all that is received",
            FeedIndex.BY_CLASS,
            false,
            "activity_logs_by_class",
            Map.of("type", "'a2a_receive'", "classes", "'{c,p,s,n,o}'")),
        list("canvas feed", FeedIndex.ALL, false, "activity_logs_pkey", Map.of()),
        list(
            "canvas feed before a time",
            FeedIndex.ALL,
            false,
            "activity_logs_pkey",
            Map.of("up_to", middle)),
        list(
            "whole feed after a row",
            FeedIndex.ALL,
            true,
            "activity_logs_pkey",
            Map.of("after", middle)),
        list(
            "of a type",
            FeedIndex.BY_CLASS,
            false,
            "activity_logs_by_class",
            Map.of("type", "'task_update'", "classes", "'{T}'")),
        list(
            "of a type that is not there",
            FeedIndex.BY_CLASS,
            false,
            "activity_logs_by_class",
            Map.of("type", "'skill_promotion'", "classes", "'{S}'")),
        new Reading(
            "conversation at the canvas",
            FeedPages.CONVERSATION,
            Map.of(),
            Set.of("activity_logs_by_class"),
            2L * LIMIT),
        new Reading(
            "conversation before a time",
            FeedPages.CONVERSATION,
            Map.of("up_to", middle),
            Set.of("activity_logs_by_class"),
            2L * LIMIT),
        list(
            "chat",
            FeedIndex.BY_CLASS,
            false,
            "activity_logs_by_class",
            Map.of("from_chat", "true", "classes", "'{c,n}'")),
        list(
            "with a peer",
            FeedIndex.WITH_PEER,
            false,
            "activity_logs_with_peer",
            Map.of("peer", "'" + PEER + "'")),
        end(
            "end of a long poll",
            FeedIndex.BY_CLASS,
            true,
            Set.of("activity_logs_by_class", "activity_logs_pkey"),
            inbox),
        end("end of a long feed", FeedIndex.ALL, false, Set.of("activity_logs_pkey"), Map.of()),
        end(
            "end of a long feed with a peer",
            FeedIndex.WITH_PEER,
            false,
            Set.of("activity_logs_with_peer", "activity_logs_pkey"),
            Map.of("peer", "'" + PEER + "'")),
        new Reading(
            "messages that were delivered",
            DeliveredMarks.MOVE,
            Map.of(),
            Set.of("activity_logs_by_class"),
            3L * EXAMINED),
        new Reading(
            "where to begin",
            FeedMarks.MARKS_OF_TIMES,
            Map.of(
                "since", Long.toString(size.large() / 2),
                "secs", "3600",
                "before", "now() - interval '3 days'"),
            Set.of("activity_logs_pkey"),
            1 + 2 * halvings),
        new Reading(
            "a page of rows",
            FeedPages.ROWS,
            Map.of("seqs", "'{" + everyTenth() + "}'"),
            Set.of("activity_logs_pkey"),
            LIMIT),
        new Reading(
            "what another replica appended",
            FeedPages.PLAIN_ROWS,
            Map.of("feeds", "'{" + FEED + "}'", "afters", "'{" + end + "}'"),
            Set.of("activity_logs_pkey"),
            LIMIT));
  }

  private static String everyTenth() {
    return IntStream.rangeClosed(1, LIMIT)
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
    long letters = values.getOrDefault("classes", "").chars().filter(c -> c == ',').count() + 1;
    return new Reading(name, index.page(oldestFirst), values, Set.of(expected), letters * LIMIT);
  }

  private static Reading end(
      String name,
      FeedIndex index,
      boolean oldestFirst,
      Set<String> indexes,
      Map<String, String> values) {
    long letters = values.getOrDefault("classes", "").chars().filter(c -> c == ',').count() + 1;
    return new Reading(name, index.end(oldestFirst), values, indexes, letters * (EXAMINED + 1) + 1);
  }

  /**
   * Runs the statement and returns its plan; {@code mode} is PostgreSQL's {@code plan_cache_mode}:
   * a plan for these values, or one for any.
   */
  Plan explain(Reading reading, String mode) throws SQLException {
    List<String> names = List.copyOf(TYPES.keySet());
    String numbered =
        PARAMETER
            .matcher(reading.statement())
            .replaceAll((MatchResult m) -> "\\$" + (1 + names.indexOf(m.group(1))));
    List<String> values = new ArrayList<>();
    for (String name : names) {
      values.add(reading.value(name));
    }
    String execute = "EXECUTE reading (" + String.join(", ", values) + ")";
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET plan_cache_mode = " + mode);
      statement.execute("SET jit = off");
      statement.execute(
          "PREPARE reading (" + String.join(", ", TYPES.values()) + ") AS " + numbered);
      run(statement, execute); // fills the caches
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
    List<JsonNode> nodes = new ArrayList<>();
    collect(top, nodes);
    List<JsonNode> ofFeeds = of(nodes, "activity_logs");
    return new Plan(
        texts(nodes, "Node Type"),
        texts(ofFeeds, "Index Name"),
        texts(nodes.stream().filter(node -> !ofFeeds.contains(node)).toList(), "Index Name"),
        top.path("Actual Rows").asLong(),
        inAllLoops(ofFeeds, "Actual Rows"),
        inAllLoops(ofFeeds, "Rows Removed by Filter"),
        of(nodes, "delivery_outcomes").stream()
            .mapToLong(node -> node.path("Actual Loops").asLong())
            .sum(),
        top.path("Shared Hit Blocks").asLong() + top.path("Shared Read Blocks").asLong(),
        explained.path("Execution Time").asDouble(),
        text);
  }

  private static List<JsonNode> of(List<JsonNode> nodes, String table) {
    return nodes.stream()
        .filter(node -> node.path("Relation Name").asString("").equals(table))
        .toList();
  }

  private static void collect(JsonNode node, List<JsonNode> nodes) {
    nodes.add(node);
    node.path("Plans").forEach(child -> collect(child, nodes));
  }

  private static Set<String> texts(List<JsonNode> nodes, String name) {
    return nodes.stream()
        .filter(node -> node.has(name))
        .map(node -> node.path(name).asString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** PostgreSQL reports the mean over the loops of a node. */
  private static long inAllLoops(List<JsonNode> nodes, String name) {
    return Math.round(
        nodes.stream()
            .mapToDouble(node -> node.path(name).asDouble(0) * node.path("Actual Loops").asLong(0))
            .sum());
  }

  /** Describes all generic plans with their times. */
  public String describe() throws SQLException {
    StringBuilder text = new StringBuilder();
    StringBuilder table =
        new StringBuilder(
            """
            | reading | index | rows | rows found | pages looked at | ms, plan for these values / for any |
            |---|---|---|---|---|---|
            """);
    for (Reading reading : readings()) {
      Plan custom = explain(reading, "force_custom_plan");
      Plan generic = explain(reading, "force_generic_plan");
      text.append("-- ").append(reading.name()).append('\n').append(generic.text()).append('\n');
      table.append(
          "| %s | %s | %d | %d | %d | %.2f / %.2f |%n"
              .formatted(
                  reading.name(),
                  String.join(", ", generic.indexesOfFeeds()),
                  generic.rows(),
                  generic.found(),
                  generic.blocks(),
                  custom.ms(),
                  generic.ms()));
    }
    return text.append(table).toString();
  }
}
