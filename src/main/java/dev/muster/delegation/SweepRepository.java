package dev.muster.delegation;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/**
 * Runs the two rules of the sweeper, one statement per batch. A statement scans the index of
 * delegations in flight from where the last batch ended. It changes those that are due and have not
 * changed since, and returns which it changed. The update finds rows by {@code ctid}, so that the
 * index is scanned only once. It goes in id order, as all transactions do that lock several, which
 * avoids deadlocks.
 */
@Repository
class SweepRepository {

  /** The position of a rule in the index. */
  record Place(Instant deadline, String delegationId) {

    static final Place START = new Place(Instant.EPOCH, "");
  }

  /**
   * A row that was due.
   *
   * @param moved empty if another transaction had changed it
   */
  record Selected(Place place, Optional<Transition> moved) {}

  /**
   * Has no join of the due and the changed rows. A generic plan expects one row of each, and would
   * compare each with each.
   */
  private static final String RESULT =
      """
      SELECT c.delegation_id AS selected, c.deadline AS selected_deadline, c.heartbeat_at, c.was,
          c.delegation_id, c.caller_id, c.callee_id, c.deadline_s, c.created_at, c.status, c.attempt,
          c.retry_count, c.last_heartbeat, c.deadline, c.dispatched_at, c.result_preview, c.error_detail,
          c.error_kind, c.updated_at AS now
      FROM changed c
      UNION ALL
      SELECT due.delegation_id, due.deadline, NULL, NULL,
          NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
      FROM due WHERE due.delegation_id NOT IN (SELECT delegation_id FROM changed)
      ORDER BY selected_deadline, selected
      """;

  private static final String FAIL_OVERDUE =
      """
      WITH due AS MATERIALIZED (
          SELECT * FROM (
              SELECT ctid AS place, delegation_id, status, deadline, NULL::timestamptz AS heartbeat_at FROM delegations
              WHERE terminal_status IS NULL AND deadline < :now AND deadline >= :from
                  AND (deadline, delegation_id) > (:from, :from_id)
                  AND (:only::text[] IS NULL OR delegation_id = ANY (:only::text[]))
              ORDER BY deadline, delegation_id LIMIT (SELECT :most)) AS next
          ORDER BY delegation_id),
      changed AS (
          UPDATE delegations d SET
              status = 'failed', error_detail = 'deadline exceeded by sweeper', updated_at = statement_timestamp()
          FROM due WHERE d.ctid = due.place AND d.status = due.status
          RETURNING d.*, due.status AS was, due.heartbeat_at)
      """
          + RESULT;

  private static final String MARK_STUCK =
      """
      WITH due AS MATERIALIZED (
          SELECT * FROM (
              SELECT d.ctid AS place, d.delegation_id, d.status, d.deadline, d.last_heartbeat, latest.heartbeat_at
              FROM delegations d LEFT JOIN api_workspace_heartbeat b ON b.workspace_id = d.callee_id
              CROSS JOIN LATERAL (
                  SELECT coalesce(
                      d.last_heartbeat,
                      CASE WHEN b.last_heartbeat_at > d.dispatched_at THEN b.last_heartbeat_at END)
                  AS heartbeat_at) AS latest
              WHERE d.terminal_status IS NULL
                  AND d.status <> 'stuck'
                  AND d.deadline >= :now
                  AND d.deadline >= :from
                  AND (d.deadline, d.delegation_id) > (:from, :from_id)
                  AND latest.heartbeat_at < :silent_since
                  AND (:only::text[] IS NULL OR d.delegation_id = ANY (:only::text[]))
              ORDER BY d.deadline, d.delegation_id
              LIMIT (SELECT :most)) AS next
          ORDER BY delegation_id),
      changed AS (
          UPDATE delegations d SET
              status = 'stuck',
              updated_at = statement_timestamp(),
              error_detail = 'no heartbeat for '
                  || CASE WHEN due.silent_s >= 3600 THEN due.silent_s / 3600 || 'h' ELSE '' END
                  || CASE WHEN due.silent_s >= 60 THEN due.silent_s / 60 % 60 || 'm' ELSE '' END
                  || due.silent_s % 60 || 's'
          FROM (SELECT *, extract(epoch FROM :now::timestamptz - heartbeat_at)::bigint AS silent_s FROM due) AS due
          WHERE d.ctid = due.place
              AND d.status = due.status
              AND d.last_heartbeat IS NOT DISTINCT FROM due.last_heartbeat
          RETURNING d.*, due.status AS was, due.heartbeat_at)
      """
          + RESULT;

  private static final String PLACES =
      """
      SELECT delegation_id, deadline FROM delegations
      WHERE terminal_status IS NULL AND deadline >= :from AND (deadline, delegation_id) > (:from, :from_id)
      ORDER BY deadline, delegation_id LIMIT (SELECT :most)
      """;

  private final JdbcClient db;

  SweepRepository(JdbcClient db) {
    this.db = db;
  }

  /**
   * Fails the next delegations past their deadline.
   *
   * @param only the ids to consider; null for all
   */
  List<Selected> failOverdue(Instant now, Place from, @Nullable Collection<String> only) {
    return bind(db.sql(FAIL_OVERDUE), now, from, only).query(SweepRepository::selected).list();
  }

  /**
   * Marks the next delegations whose callee sent heartbeats, but none since {@code silentSince}.
   *
   * @param only the ids to consider; null for all
   */
  List<Selected> markStuck(
      Instant now, Instant silentSince, Place from, @Nullable Collection<String> only) {
    return bind(db.sql(MARK_STUCK), now, from, only)
        .param("silent_since", Timestamps.utc(silentSince))
        .query(SweepRepository::selected)
        .list();
  }

  /** Returns the positions of the next delegations in flight, due or not. */
  List<Place> positions(Place from) {
    return db.sql(PLACES)
        .param("from", Timestamps.utc(from.deadline()))
        .param("from_id", from.delegationId())
        .param("most", SweepRuleRun.BATCH_SIZE)
        .query((row, n) ->
            new Place(Timestamps.instant(row, "deadline"), row.getString("delegation_id")))
        .list();
  }

  private static StatementSpec bind(
      StatementSpec statement, Instant now, Place from, @Nullable Collection<String> only) {
    return statement
        .param("now", Timestamps.utc(now))
        .param("from", Timestamps.utc(from.deadline()))
        .param("from_id", from.delegationId())
        .param("most", SweepRuleRun.BATCH_SIZE)
        .param("only", only == null ? null : only.toArray(String[]::new));
  }

  private static Selected selected(ResultSet row, int n) throws SQLException {
    Place place =
        new Place(Timestamps.instant(row, "selected_deadline"), row.getString("selected"));
    if (row.getString("delegation_id") == null) {
      return new Selected(place, Optional.empty());
    }
    return new Selected(
        place,
        Optional.of(
            new Transition(
                DelegationStatus.of(row.getString("was")),
                LedgerRepository.locked(row, n),
                false,
                Timestamps.instantOrNull(row, "heartbeat_at"))));
  }
}
