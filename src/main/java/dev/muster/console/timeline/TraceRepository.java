package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import dev.muster.message.RowId;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.runtime.RuntimeIds;
import dev.muster.runtime.TaskName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads delegations with all that belongs to them. */
@Repository
class TraceRepository {

  /**
   * The maximum of one delegation in one feed, so that other delegations of the trace have space.
   */
  private static final int MESSAGES_OF_A_SIDE = 20;

  private static final int RUNS_OF_A_DELEGATION = 10;

  /** Selects the delegation, then its causes, nearest first. */
  static final String UPWARDS =
      """
      WITH RECURSIVE line (delegation_id, parent_delegation_id, n) AS (
          SELECT delegation_id, parent_delegation_id, 1 FROM api_delegation_entry WHERE delegation_id = :delegation_id
          UNION ALL
          SELECT p.delegation_id, p.parent_delegation_id, line.n + 1
          FROM line JOIN api_delegation_entry p ON p.delegation_id = line.parent_delegation_id
          WHERE line.n < :most)
      SELECT delegation_id FROM line ORDER BY n
      """;

  /**
   * Selects the delegation, then everything it caused. {@code UNION} ends even when parents form a
   * cycle. The subquery keeps the planner from reading all delegations for each level.
   */
  static final String DOWNWARDS =
      """
      WITH RECURSIVE below (delegation_id) AS (
          SELECT :delegation_id::text
          UNION
          SELECT c.delegation_id FROM below CROSS JOIN LATERAL (
              SELECT delegation_id FROM api_delegation_entry
              WHERE parent_delegation_id = below.delegation_id OFFSET 0) AS c)
      SELECT delegation_id FROM below LIMIT :most
      """;

  static final String DELEGATIONS =
      """
      SELECT delegation_id, caller_id, callee_id, left(task_preview, 400) AS task, status, attempt, deadline,
          left(coalesce(result_preview, error_detail), 400) AS result, parent_delegation_id, created_at,
          CASE WHEN terminal_status IS NOT NULL THEN updated_at END AS ended_at
      FROM api_delegation_entry WHERE delegation_id = ANY (:ids) ORDER BY created_at, id
      """;

  static final String MESSAGES =
      """
      SELECT l.workspace_id, l.seq, l.created_at, l.source, l.source_id, l.method, l.message_text, l.message_id,
          side.delegation_id, coalesce(o.state, 'stored') AS state, o.ended_at
      FROM unnest(:workspaces::uuid[], :ids::text[]) AS side (workspace_id, delegation_id)
      CROSS JOIN LATERAL (
          SELECT workspace_id, seq, created_at, source, CASE WHEN source = 'peer_agent' THEN peer_id END AS source_id,
              method, left(message_text, 400) AS message_text, message_id
          FROM api_message_entry
          WHERE workspace_id = side.workspace_id AND left(delegation_id, 128) = side.delegation_id
              AND delegation_id = side.delegation_id AND class <> 'D'
          ORDER BY seq LIMIT :of_a_side) AS l
      LEFT JOIN api_message_outcome o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      ORDER BY l.created_at, l.seq LIMIT :most
      """;

  static final String RUNS =
      """
      SELECT r.workspace_id, r.first_seq, task.delegation_id, r.language, r.status, r.error_message, r.started_at,
          r.ended_at, r.duration_ms
      FROM unnest(:workspaces::uuid[], :keys::uuid[], :ids::text[]) AS task (workspace_id, task_key, delegation_id)
      CROSS JOIN LATERAL (
          SELECT workspace_id, first_seq, language, status, left(error_message, 400) AS error_message, started_at,
              ended_at, duration_ms
          FROM api_runtime_run
          WHERE workspace_id = task.workspace_id AND task_key = task.task_key
          ORDER BY first_seq
          LIMIT :of_a_task) AS r
      ORDER BY r.started_at
      LIMIT :most
      """;

  private final JdbcClient db;

  TraceRepository(JdbcClient db) {
    this.db = db;
  }

  /** Returns a delegation and its causes, at most {@code most}; empty for an unknown delegation. */
  List<String> upwards(String delegationId, int most) {
    return ids(db.sql(UPWARDS), delegationId, most);
  }

  /** Returns a delegation and everything it caused, at most {@code most}. */
  List<String> downwards(String delegationId, int most) {
    return ids(db.sql(DOWNWARDS), delegationId, most);
  }

  private static List<String> ids(
      JdbcClient.StatementSpec statement, String delegationId, int most) {
    return statement
        .param("delegation_id", delegationId)
        .param("most", most)
        .query((row, n) -> row.getString("delegation_id"))
        .list();
  }

  /** Returns the delegations, oldest first. */
  List<TraceNode> delegations(List<String> ids) {
    return db.sql(DELEGATIONS)
        .param("ids", ids.toArray(String[]::new))
        .query(TraceRepository::delegation)
        .list();
  }

  /** Returns the messages of delegations in the feeds of caller and callee, oldest first. */
  List<TraceNode> messages(List<TraceNode> delegations, int most) {
    List<TraceNode> twice = delegations.stream().flatMap(one -> Stream.of(one, one)).toList();
    UUID[] workspaces =
        delegations.stream()
            .flatMap(one -> Stream.of(one.to(), Objects.requireNonNull(one.from())))
            .toArray(UUID[]::new);
    return db.sql(MESSAGES)
        .param("workspaces", workspaces)
        .param("ids", twice.stream().map(TraceNode::id).toArray(String[]::new))
        .param("of_a_side", MESSAGES_OF_A_SIDE)
        .param("most", most)
        .query(TraceRepository::message)
        .list();
  }

  /** Returns the runs of the callees whose task has the id of the delegation, oldest first. */
  List<TraceNode> runs(List<TraceNode> delegations, int most) {
    Map<String, Instant> begins = new HashMap<>();
    delegations.forEach(one -> begins.put(one.id(), one.at()));
    return db.sql(RUNS)
        .param("workspaces", delegations.stream().map(TraceNode::to).toArray(UUID[]::new))
        .param(
            "keys",
            delegations.stream().map(one -> TaskName.named(one.id()).key()).toArray(UUID[]::new))
        .param("ids", delegations.stream().map(TraceNode::id).toArray(String[]::new))
        .param("of_a_task", RUNS_OF_A_DELEGATION)
        .param("most", most)
        .query((row, n) -> run(row, begins))
        .list();
  }

  private static TraceNode delegation(ResultSet row, int n) throws SQLException {
    String id = row.getString("delegation_id");
    return new TraceNode(
        Kind.DELEGATION,
        id,
        row.getString("parent_delegation_id"),
        row.getObject("caller_id", UUID.class),
        null,
        row.getObject("callee_id", UUID.class),
        null,
        "delegation",
        row.getString("status"),
        row.getString("task"),
        row.getString("result"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instantOrNull(row, "ended_at"),
        null,
        Timestamps.instant(row, "deadline"),
        row.getInt("attempt"),
        new Refs(null, id, null, null, null, null, null));
  }

  private static TraceNode message(ResultSet row, int n) throws SQLException {
    UUID id = RowId.of(row);
    String delegation = row.getString("delegation_id");
    @Nullable String method = row.getString("method");
    return new TraceNode(
        Kind.MESSAGE,
        id.toString(),
        delegation,
        row.getObject("source_id", UUID.class),
        null,
        row.getObject("workspace_id", UUID.class),
        null,
        method == null ? "message" : method,
        row.getString("state"),
        row.getString("message_text"),
        null,
        Timestamps.instant(row, "created_at"),
        Timestamps.instantOrNull(row, "ended_at"),
        null,
        null,
        null,
        new Refs(
            row.getString("message_id"), delegation, null, id, null, null, row.getLong("seq")));
  }

  private static TraceNode run(ResultSet row, Map<String, Instant> begins) throws SQLException {
    UUID workspace = row.getObject("workspace_id", UUID.class);
    UUID id = RuntimeIds.of(workspace, row.getLong("first_seq"));
    String delegation = row.getString("delegation_id");
    @Nullable String language = row.getString("language");
    return new TraceNode(
        Kind.RUN,
        id.toString(),
        delegation,
        null,
        null,
        workspace,
        null,
        language == null ? "run" : "run: " + language,
        row.getString("status"),
        row.getString("error_message"),
        null,
        beginOf(row, Objects.requireNonNull(begins.get(delegation))),
        Timestamps.instantOrNull(row, "ended_at"),
        RunSource.tookMs(row),
        null,
        null,
        new Refs(null, delegation, id, null, null, null, null));
  }

  /**
   * Returns when a run began. Events that are sent together arrive at the end, so the begin is as
   * long before that as the run took, but not before its delegation.
   */
  private static Instant beginOf(ResultSet row, Instant delegated) throws SQLException {
    Instant arrivedAt = Timestamps.instant(row, "started_at");
    @Nullable Instant endedAt = Timestamps.instantOrNull(row, "ended_at");
    @Nullable Long tookMs = RunSource.tookMs(row);
    if (endedAt == null || tookMs == null) {
      return arrivedAt;
    }
    Duration took = Duration.ofMillis(tookMs);
    boolean isLonger = took.compareTo(Duration.between(delegated, endedAt)) > 0;
    Instant begin = isLonger ? delegated : endedAt.minus(took);
    return begin.isBefore(arrivedAt) ? begin : arrivedAt;
  }
}
