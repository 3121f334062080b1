package dev.muster.delegation;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.Timestamps;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.stereotype.Repository;

/** Locks and updates rows of the ledger; {@link Ledger} decides on the changes. */
@Repository
class LedgerRepository {

  /**
   * The update of a row.
   *
   * @param expected the status before it
   */
  record Move(DelegationStatus expected, LockedDelegation next) {}

  private static final String LOCK =
      """
      SELECT d.delegation_id, d.caller_id, d.callee_id, d.deadline_s, d.created_at, d.status, d.attempt, d.retry_count,
          d.last_heartbeat, d.deadline, d.dispatched_at, d.result_preview, d.error_detail, d.error_kind,
          clock_timestamp() AS now
      FROM delegations d
      WHERE d.delegation_id = ANY (?)
      ORDER BY d.delegation_id
      """;

  private static final String LOCK_AND_WAIT = LOCK + "FOR UPDATE OF d";

  private static final String LOCK_SKIPPING_LOCKED = LOCK + "FOR UPDATE OF d SKIP LOCKED";

  private static final String EXISTING =
      "SELECT delegation_id FROM delegations WHERE delegation_id = ANY (?)";

  private static final BatchColumns<Move> MOVES =
      BatchColumns.<Move>none()
          .text("delegation_id", move -> move.next().delegationId())
          .text("expected", move -> move.expected().wire())
          .text("status", move -> progress(move).status().wire())
          .integer("attempt", move -> progress(move).attempt())
          .integer("retry_count", move -> progress(move).retryCount())
          .time("last_heartbeat", move -> progress(move).lastHeartbeat())
          .time("deadline", move -> progress(move).deadline())
          .time("dispatched_at", move -> progress(move).dispatchedAt())
          .text("result_preview", move -> partOf(progress(move).result(), PreviewedText::preview))
          .text("result", move -> partOf(progress(move).result(), PreviewedText::overflow))
          .text("error_detail", move -> progress(move).error())
          .text("error_kind", move -> progress(move).errorKind())
          .time("now", move -> move.next().now());

  private static final String MOVE =
      """
      UPDATE delegations d SET
          status = m.status, attempt = m.attempt, retry_count = m.retry_count, last_heartbeat = m.last_heartbeat,
          deadline = m.deadline, dispatched_at = m.dispatched_at, result_preview = m.result_preview, result = m.result,
          error_detail = m.error_detail, error_kind = m.error_kind, updated_at = m.now
      FROM {ROWS} AS m ({NAMES})
      WHERE d.delegation_id = m.delegation_id AND d.status = m.expected
      """
          .replace("{ROWS}", MOVES.unnest())
          .replace("{NAMES}", MOVES.names());

  private final JdbcTemplate db;

  LedgerRepository(JdbcTemplate db) {
    this.db = db;
  }

  /** Locks rows in id order, as all transactions do, which avoids deadlocks. */
  List<LockedDelegation> lock(Collection<String> delegationIds) {
    return db.query(LOCK_AND_WAIT, ids(delegationIds), LedgerRepository::locked);
  }

  /** Locks the unlocked rows in id order (SKIP LOCKED) until the transaction ends. */
  List<LockedDelegation> lockSkippingLocked(Collection<String> delegationIds) {
    return db.query(LOCK_SKIPPING_LOCKED, ids(delegationIds), LedgerRepository::locked);
  }

  Set<String> existing(Collection<String> delegationIds) {
    return new HashSet<>(
        db.query(EXISTING, ids(delegationIds), (row, n) -> row.getString("delegation_id")));
  }

  private static PreparedStatementSetter ids(Collection<String> delegationIds) {
    return statement ->
        statement.setArray(
            1, statement.getConnection().createArrayOf("text", delegationIds.toArray()));
  }

  /** Updates rows that this transaction has locked. */
  void move(List<Move> moves) {
    int moved =
        db.update(
            MOVE,
            (PreparedStatement statement) -> {
              int _ = MOVES.bind(statement, 1, moves);
            });
    if (moved != moves.size()) {
      throw new IllegalStateException(
          moved + " of " + moves.size() + " locked delegations moved, which indicates a bug");
    }
  }

  private static DelegationState progress(Move move) {
    return move.next().state();
  }

  static LockedDelegation locked(ResultSet row, int n) throws SQLException {
    return new LockedDelegation(
        row.getString("delegation_id"),
        row.getObject("caller_id", UUID.class),
        row.getObject("callee_id", UUID.class),
        Duration.ofSeconds(row.getInt("deadline_s")),
        Timestamps.instant(row, "created_at"),
        progress(row),
        Timestamps.instant(row, "now"));
  }

  private static DelegationState progress(ResultSet row) throws SQLException {
    DelegationStatus status = DelegationStatus.of(row.getString("status"));
    return new DelegationState(
        status,
        row.getInt("attempt"),
        row.getInt("retry_count"),
        Timestamps.instantOrNull(row, "last_heartbeat"),
        Timestamps.instant(row, "deadline"),
        Timestamps.instantOrNull(row, "dispatched_at"),
        result(row, status),
        row.getString("error_detail"),
        row.getString("error_kind"));
  }

  /** Reads the preview only, since the result of a completed delegation does not change. */
  private static @Nullable PreviewedText result(ResultSet row, DelegationStatus status)
      throws SQLException {
    return status == DelegationStatus.COMPLETED
        ? new PreviewedText(Objects.requireNonNullElse(row.getString("result_preview"), ""), null)
        : null;
  }
}
