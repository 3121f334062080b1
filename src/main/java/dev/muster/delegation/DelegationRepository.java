package dev.muster.delegation;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.muster.message.DelegationMessage;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Inserts delegations into the ledger and reads them. */
@Repository
class DelegationRepository {

  static final String COLUMNS =
      """
      d.id, d.delegation_id, d.caller_id, d.callee_id, d.task_preview, d.status, d.attempt, d.retry_count,
      d.last_heartbeat, d.deadline, d.dispatched_at, d.result_preview, d.error_detail, d.error_kind, d.idempotency_key,
      d.parent_delegation_id, d.created_at, d.updated_at
      """;

  private static final String INSERT =
      """
      INSERT INTO delegations (
          delegation_id, id, caller_id, callee_id, task_preview, task, status, deadline_s, deadline,
          dispatched_at, idempotency_key, parent_delegation_id, created_at, updated_at)
      SELECT :delegation_id, :id, :caller, :callee, :task_preview, :task, :status, :deadline_s,
          now + make_interval(secs => :deadline_s),
          CASE WHEN :status = 'dispatched' THEN now END,
          :key,
          (SELECT p.delegation_id FROM delegations p
           WHERE p.delegation_id = :parent AND (p.caller_id = :caller OR p.callee_id = :caller)),
          now, now
      FROM statement_timestamp() AS now
      ON CONFLICT (delegation_id) DO NOTHING
      """;

  private static final String FIND_BY_KEY =
      "SELECT "
          + COLUMNS
          + """
          , d.callee_id = :callee AND d.task_preview = :task_preview AND d.task IS NOT DISTINCT FROM :task::text AS is_same
          FROM delegations d
          WHERE d.caller_id = :caller AND d.idempotency_key = :key AND d.status <> 'failed'
              AND (d.status <> 'completed' OR d.updated_at > clock_timestamp() - interval '24 hours')
          ORDER BY d.created_at DESC, d.id DESC LIMIT 1
          """;

  private static final String FIND =
      "SELECT " + COLUMNS + " FROM delegations d WHERE d.delegation_id = :delegation_id";

  /** Selects delegations whose message found no space in the callee's feed or queue. */
  private static final String QUEUED =
      """
      SELECT delegation_id, callee_id, deadline FROM delegations
      WHERE terminal_status IS NULL AND status = 'queued' AND deadline >= :deadline
          AND (deadline, delegation_id) > (:deadline, :id)
      ORDER BY deadline, delegation_id LIMIT (SELECT :most)
      """;

  private static final String TEXTS =
      """
      SELECT coalesce(task, task_preview) AS task, coalesce(result, result_preview) AS result
      FROM delegations WHERE delegation_id = :delegation_id
      """;

  private static final String TEXT_BYTES =
      """
      SELECT coalesce(octet_length(task), 0)::bigint + coalesce(octet_length(result), 0) AS bytes
      FROM delegations WHERE delegation_id = :delegation_id
      """;

  private static final String IN_FLIGHT =
      """
      SELECT caller_id, callee_id, retry_count,
          extract(epoch FROM deadline - clock_timestamp()) * 1000 AS left_ms
      FROM delegations WHERE delegation_id = :delegation_id AND terminal_status IS NULL
      """;

  private static final String COUNT_BY_STATUS =
      """
      SELECT status, count(*) AS delegations, extract(epoch FROM clock_timestamp() - min(created_at)) AS oldest_s
      FROM delegations WHERE terminal_status IS NULL GROUP BY status
      UNION ALL
      SELECT terminal_status, count(*), NULL FROM delegations WHERE terminal_status IS NOT NULL GROUP BY terminal_status
      """;

  /** Generates ids of version 7, which ascend in this process, even within one moment. */
  private static final TimeBasedEpochGenerator IDS = Generators.timeBasedEpochGenerator();

  private final JdbcClient db;

  DelegationRepository(JdbcClient db) {
    this.db = db;
  }

  static UUID newId() {
    return IDS.generate();
  }

  /**
   * A delegation to insert.
   *
   * @param status {@code queued}, or {@code dispatched} if the caller has sent it itself
   * @param parent the parent that the caller named; stored only if the caller is the parent's
   *     caller or callee
   */
  record NewDelegation(
      String delegationId,
      UUID callerId,
      UUID calleeId,
      PreviewedText task,
      DelegationStatus status,
      Duration span,
      @Nullable String idempotencyKey,
      @Nullable String parent) {}

  /** Inserts a delegation; returns false if its id is taken. */
  boolean insert(NewDelegation delegation) {
    return db.sql(INSERT)
            .param("delegation_id", delegation.delegationId())
            .param("id", newId())
            .param("caller", delegation.callerId())
            .param("callee", delegation.calleeId())
            .param("task_preview", delegation.task().preview())
            .param("task", delegation.task().overflow())
            .param("status", delegation.status().wire())
            .param("deadline_s", (int) delegation.span().toSeconds())
            .param("key", delegation.idempotencyKey())
            .param("parent", delegation.parent(), java.sql.Types.VARCHAR)
            .update()
        == 1;
  }

  /** A delegation that has a key, and whether it is of the same task for the same callee. */
  record OfKey(Delegation delegation, boolean isSame) {}

  /** Returns the delegation with this key (R8.2), compared with a request. */
  Optional<OfKey> findByKey(UUID callerId, String key, UUID calleeId, PreviewedText task) {
    return db.sql(FIND_BY_KEY)
        .param("caller", callerId)
        .param("key", key)
        .param("callee", calleeId)
        .param("task_preview", task.preview())
        .param("task", task.overflow())
        .query((row, n) -> new OfKey(delegation(row, n), row.getBoolean("is_same")))
        .optional();
  }

  Optional<Delegation> find(String delegationId) {
    return db.sql(FIND)
        .param("delegation_id", delegationId)
        .query(DelegationRepository::delegation)
        .optional();
  }

  /** A delegation whose message is not dispatched yet; also the position after it. */
  record Queued(Instant deadline, String delegationId, UUID calleeId) {

    /** The position before all of them. */
    static final Queued FIRST = new Queued(Instant.EPOCH, "", new UUID(0, 0));
  }

  /** Returns the next ones after a position, by deadline, at most {@code most}. */
  List<Queued> queued(Queued after, int most) {
    return db.sql(QUEUED)
        .param("deadline", Timestamps.utc(after.deadline()))
        .param("id", after.delegationId())
        .param("most", most)
        .query((row, n) ->
            new Queued(
                Timestamps.instant(row, "deadline"),
                row.getString("delegation_id"),
                row.getObject("callee_id", UUID.class)))
        .list();
  }

  /**
   * A delegation in flight.
   *
   * @param message its current message
   * @param remainingTime until the deadline; negative after it
   */
  record InFlight(DelegationMessage message, Duration remainingTime) {}

  Optional<InFlight> inFlight(String delegationId) {
    return db.sql(IN_FLIGHT)
        .param("delegation_id", delegationId)
        .query((row, n) ->
            new InFlight(
                new DelegationMessage(
                    delegationId,
                    row.getObject("caller_id", UUID.class),
                    row.getObject("callee_id", UUID.class),
                    DelegationIds.ofMessage(delegationId, row.getInt("retry_count"))),
                Duration.ofMillis((long) row.getDouble("left_ms"))))
        .optional();
  }

  /**
   * The full texts of a delegation.
   *
   * @param result null if there is none
   */
  record Texts(String task, @Nullable String result) {}

  /** Returns the bytes of both texts that are stored beside their previews. */
  long textBytes(String delegationId) {
    return db.sql(TEXT_BYTES)
        .param("delegation_id", delegationId)
        .query((row, n) -> row.getLong("bytes"))
        .single();
  }

  Texts texts(String delegationId) {
    return db.sql(TEXTS)
        .param("delegation_id", delegationId)
        .query((row, n) -> new Texts(row.getString("task"), row.getString("result")))
        .single();
  }

  /**
   * The delegations of one status.
   *
   * @param oldestS age of the oldest one in seconds; 0 if they have ended
   */
  record Group(long delegations, double oldestS) {

    static final Group NONE = new Group(0, 0);
  }

  /** Counts the delegations of each status. */
  Map<DelegationStatus, Group> groups() {
    Map<DelegationStatus, Group> groups = new EnumMap<>(DelegationStatus.class);
    for (DelegationStatus status : DelegationStatus.values()) {
      groups.put(status, Group.NONE);
    }
    db.sql(COUNT_BY_STATUS)
        .query(row -> {
          groups.put(
              DelegationStatus.of(row.getString("status")),
              new Group(row.getLong("delegations"), row.getDouble("oldest_s")));
        });
    return groups;
  }

  static Delegation delegation(ResultSet row, int n) throws SQLException {
    return new Delegation(
        row.getObject("id", UUID.class),
        row.getString("delegation_id"),
        row.getObject("caller_id", UUID.class),
        row.getObject("callee_id", UUID.class),
        row.getString("task_preview"),
        DelegationStatus.of(row.getString("status")),
        row.getInt("attempt"),
        row.getInt("retry_count"),
        Timestamps.instantOrNull(row, "last_heartbeat"),
        Timestamps.instant(row, "deadline"),
        Timestamps.instantOrNull(row, "dispatched_at"),
        row.getString("result_preview"),
        row.getString("error_detail"),
        row.getString("error_kind"),
        row.getString("idempotency_key"),
        row.getString("parent_delegation_id"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instant(row, "updated_at"));
  }
}
