package dev.muster.console.history;

import dev.muster.console.fleet.SnapshotColumns;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the fleet as it was at a time, and the status changes between two times. Names, parents and
 * roles are those of today.
 */
@Component
class PastFleet {

  /** Above the pool's limit of 3 s, because a large fleet on a busy database takes longer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Leaves time to respond within the deadline of a request. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(4);

  /** Bounds memory and load, because each read takes the whole fleet. */
  private static final int READERS = 2;

  private static final int ROWS_IN_A_FETCH = 5000;

  /** The most changes in one response. */
  static final int MAX_CHANGES = 500_000;

  /** Workspaces that were created after {@code :at} have no status. */
  private static final String AT =
      """
      WITH present AS (
          SELECT workspace_id, since, status, degraded_reason, error FROM open_status_periods WHERE since <= :at
          UNION ALL
          SELECT workspace_id, since, status, degraded_reason, error FROM ended_status_periods
          WHERE tstzrange(since, until) @> :at::timestamptz
      ), later AS (
          SELECT workspace_id FROM open_status_periods WHERE since > :at AND since <= :to
          UNION
          SELECT workspace_id FROM ended_status_periods WHERE tstzrange(since, until) && tstzrange(:at, :to, '[]') AND since > :at
          EXCEPT
          SELECT workspace_id FROM present
      ), fleet AS (
          SELECT * FROM present UNION ALL SELECT workspace_id, NULL, NULL, NULL, NULL FROM later
      )
      SELECT f.workspace_id, w.parent_id, coalesce(w.name, ''), w.role, coalesce(w.runtime, ''), coalesce(w.tier, 0), f.status,
          f.degraded_reason, f.error, floor(extract(epoch FROM coalesce(f.since, :at)))::bigint,
          CASE WHEN w.delivery_mode = 'push' THEN 2 ELSE 0 END
      FROM fleet f LEFT JOIN api_workspace_fleet w ON w.id = f.workspace_id
      ORDER BY w.created_at, f.workspace_id
      """;

  /**
   * Leaves out periods of no length. A period without a next one ended by a removal. Times are
   * rounded up to milliseconds, so a change is shown at the first millisecond at which it had
   * happened.
   */
  private static final String CHANGES =
      """
      WITH periods AS (
          SELECT workspace_id, seq, since, until, status, degraded_reason, error FROM ended_status_periods
          WHERE tstzrange(since, until) && tstzrange(:from, :to, '[]') AND (since > :from OR until <= :to)
          UNION ALL
          SELECT workspace_id, seq, since, NULL, status, degraded_reason, error FROM open_status_periods
          WHERE since > :from AND since <= :to
      ), ordered AS (
          SELECT periods.*, lag(status) OVER places AS was, lead(since) OVER places AS next_since
          FROM periods WINDOW places AS (PARTITION BY workspace_id ORDER BY since, seq)
      ), changes AS (
          SELECT workspace_id, since AS at, seq, was, status, degraded_reason, error FROM ordered WHERE since > :from
          UNION ALL
          SELECT workspace_id, until, seq, status, 'removed', NULL, NULL FROM ordered
          WHERE until > :from AND until <= :to AND next_since IS NULL
      )
      SELECT workspace_id, ceil(extract(epoch FROM at - :from::timestamptz) * 1000)::bigint AS at_ms, was, status, degraded_reason,
          error
      FROM changes ORDER BY at, seq LIMIT :most
      """;

  /** The first period is the one that the workspace was in at {@code :from}. */
  private static final String OF_WORKSPACE =
      """
      SELECT * FROM (
          SELECT workspace_id, seq, since, until, status, degraded_reason, error FROM ended_status_periods
          WHERE workspace_id = :id AND since < :to AND until > :from AND until > since
              AND since >= coalesce((SELECT max(since) FROM ended_status_periods WHERE workspace_id = :id AND since <= :from), '-infinity')
          UNION ALL
          SELECT workspace_id, seq, since, NULL, status, degraded_reason, error FROM open_status_periods
          WHERE workspace_id = :id AND since < :to
          ORDER BY since DESC, seq DESC LIMIT :most) AS newest
      ORDER BY since, seq
      """;

  private final JdbcClient db;
  private final StatementTimeouts timeouts;
  private final JsonMapper json;
  private final TransactionTemplate transaction;
  private final Semaphore readers = new Semaphore(READERS, true);

  PastFleet(
      JdbcClient db,
      StatementTimeouts timeouts,
      JsonMapper json,
      PlatformTransactionManager transactions) {
    this.db = db;
    this.timeouts = timeouts;
    this.json = json;
    this.transaction = new TransactionTemplate(transactions);
    this.transaction.setReadOnly(true);
    this.transaction.setTimeout((int) TIMEOUT.toSeconds());
  }

  /**
   * Returns the fleet at a time in format MSF1. It includes workspaces that were created later,
   * until {@code to}.
   *
   * @param seq the number of the last event that the history includes
   */
  byte[] at(Instant at, Instant to, long seq) {
    return bounded(() -> {
      SnapshotColumns columns = new SnapshotColumns();
      db.sql(AT)
          .param("at", Timestamps.utc(at))
          .param("to", Timestamps.utc(to))
          .withFetchSize(ROWS_IN_A_FETCH)
          .query(row -> {
            columns.add(row(row));
          });
      return columns.write(seq, at, json);
    });
  }

  /** Returns the status changes after {@code from} until {@code to}, in format MSC1. */
  byte[] changes(Instant from, Instant to) {
    return bounded(() -> {
      ChangeColumns columns = new ChangeColumns(from, to, MAX_CHANGES);
      db.sql(CHANGES)
          .param("from", Timestamps.utc(from))
          .param("to", Timestamps.utc(to))
          .param("most", MAX_CHANGES + 1)
          .withFetchSize(ROWS_IN_A_FETCH)
          .query(row -> {
            columns.add(
                row.getObject(1, UUID.class),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6));
          });
      return columns.write(json);
    });
  }

  /** Returns the newest {@code most} status periods of a workspace in a range, oldest first. */
  List<StatusPeriod> periodsOf(UUID workspaceId, Instant from, Instant to, int most) {
    return db.sql(OF_WORKSPACE)
        .param("id", workspaceId)
        .param("from", Timestamps.utc(from))
        .param("to", Timestamps.utc(to))
        .param("most", most)
        .query(HistoryRepository::period)
        .list();
  }

  private static SnapshotColumns.Row row(ResultSet row) throws SQLException {
    @Nullable String error = row.getString(9);
    return new SnapshotColumns.Row(
        row.getObject(1, UUID.class),
        row.getObject(2, UUID.class),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        row.getString(7),
        row.getString(8),
        error,
        row.getLong(10),
        null,
        0,
        row.getInt(11));
  }

  /** Reads in one transaction, two readers at a time. */
  private byte[] bounded(Supplier<byte[]> read) {
    try {
      if (!readers.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw ProblemException.unavailable(
            "too many requests read the history of the fleet; try again in a few seconds");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("the server is shutting down");
    }
    try {
      return RequestDeadline.within(
          TIMEOUT,
          () ->
              Objects.requireNonNull(
                  transaction.execute(status -> {
                    timeouts.allow(TIMEOUT);
                    return read.get();
                  })));
    } finally {
      readers.release();
    }
  }
}
