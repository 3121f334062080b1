package dev.muster.console.history;

import dev.muster.event.RecordedEvent;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.FailingUnits;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** Stores status periods, and up to which recorded event they are complete. */
@Repository
class HistoryRepository {

  /** The first start reads the status of every workspace. */
  private static final int BEGIN_TIMEOUT_S = 30;

  private static final String HEAD =
      """
      SELECT last_seq, began_at, up_to, minutes_to, minute_seq, clock_timestamp() AS now,
          (SELECT last_seq FROM api_event_head) AS newest
      FROM history_head
      """;

  private static final String BEGIN =
      """
      INSERT INTO history_head (last_seq, began_at, up_to, minutes_to, minute_seq)
      SELECT last_seq, began_at, began_at, date_bin('1 minute', began_at, 'epoch'), last_seq
      FROM (
          SELECT coalesce(first.seq - 1, head.last_seq) AS last_seq, coalesce(first.created_at, now()) AS began_at
          FROM api_event_head head LEFT JOIN (
              SELECT seq, created_at FROM api_event_recorded WHERE seq IS NOT NULL ORDER BY seq LIMIT 1) first ON true
      ) AS start
      ON CONFLICT DO NOTHING
      """;

  /**
   * Takes the status of workspaces that have no event any more from their rows. The event of a
   * transition is committed with it. So in one snapshot either the event is there, or the row has
   * not changed since.
   */
  private static final String BEGIN_WITHOUT_EVENTS =
      """
      INSERT INTO open_status_periods (workspace_id, since, seq, status, degraded_reason, error)
      SELECT b.workspace_id, b.status_since, 0, b.status, b.degraded_reason,
          CASE WHEN b.status = 'degraded' THEN nullif(left(b.sample_error, 160), '') END
      FROM api_workspace_status b
      WHERE b.status <> 'removed' AND b.workspace_id NOT IN (
          SELECT workspace_id FROM api_event_recorded WHERE workspace_id IS NOT NULL AND event_type = ANY (:types))
      """;

  private static final String OLDEST_EVENT =
      """
      SELECT coalesce((SELECT seq FROM api_event_recorded WHERE seq IS NOT NULL ORDER BY seq LIMIT 1), last_seq + 1)
      FROM api_event_head
      """;

  private static final String CLEAR =
      "TRUNCATE history_head, open_status_periods, ended_status_periods, fleet_minutes";

  private static final String LOCK_HEAD = "SELECT last_seq FROM history_head FOR UPDATE";

  private static final String MOVE_HEAD =
      "UPDATE history_head SET last_seq = :last_seq, up_to = greatest(up_to, :up_to)";

  private static final String OPEN =
      """
      SELECT workspace_id, seq, since, NULL::timestamptz AS until, previous, status, degraded_reason, error
      FROM open_status_periods WHERE workspace_id = ANY (:ids)
      """;

  private static final String INSERT_ENDED =
      """
      INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status, degraded_reason, error)
      SELECT * FROM unnest(:ids::uuid[], :sinces::timestamptz[], :seqs::bigint[], :untils::timestamptz[],
          :previous::text[], :statuses::text[], :reasons::text[], :errors::text[])
      """;

  private static final String PUT_OPEN =
      """
      INSERT INTO open_status_periods (workspace_id, since, seq, previous, status, degraded_reason, error)
      SELECT * FROM unnest(:ids::uuid[], :sinces::timestamptz[], :seqs::bigint[], :previous::text[], :statuses::text[],
          :reasons::text[], :errors::text[])
      ON CONFLICT (workspace_id) DO UPDATE SET since = excluded.since, seq = excluded.seq, previous = excluded.previous,
          status = excluded.status, degraded_reason = excluded.degraded_reason, error = excluded.error
      """;

  private static final String DELETE_REMOVED =
      "DELETE FROM open_status_periods WHERE workspace_id = ANY (:ids)";

  private static final String DELETE_OLD =
      """
      DELETE FROM ended_status_periods WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ended_status_periods
          WHERE until < now() - make_interval(days => :days)
          ORDER BY until, ctid
          LIMIT :most OFFSET :passed_over))
      """;

  /**
   * The range that the history covers.
   *
   * @param lastSeq the number of the last event that it includes
   * @param upTo it includes all transitions that were committed some seconds before this time
   * @param minutesTo the last minute of {@code fleet_minutes}
   * @param minuteSeq {@code lastSeq} when that minute was written
   * @param now the database's time
   * @param newest the number of the newest event
   */
  record Head(
      long lastSeq,
      Instant beganAt,
      Instant upTo,
      Instant minutesTo,
      long minuteSeq,
      Instant now,
      long newest) {

    /** Returns whether the history includes all events that have a number. */
    boolean isUpToDate() {
      return lastSeq >= newest;
    }

    /** Returns up to when the history is complete once it includes {@code last}. */
    Instant completeUpTo(RecordedEvent last) {
      return last.seq() >= newest ? now : last.createdAt();
    }

    /** Returns the oldest time that can be read, when so many days are kept. */
    Instant oldest(int days) {
      Instant kept = now.minus(Duration.ofDays(days));
      return kept.isAfter(beganAt) ? kept : beganAt;
    }
  }

  private final JdbcClient db;
  private final StatementTimeouts timeouts;
  private final CommitAwareTransactions transactions;

  HistoryRepository(
      JdbcClient db, StatementTimeouts timeouts, CommitAwareTransactions transactions) {
    this.db = db;
    this.timeouts = timeouts;
    this.transactions = transactions;
  }

  /** Returns the head; empty before {@link #begin}. */
  Optional<Head> head() {
    return db.sql(HEAD)
        .query((row, n) ->
            new Head(
                row.getLong("last_seq"),
                Timestamps.instant(row, "began_at"),
                Timestamps.instant(row, "up_to"),
                Timestamps.instant(row, "minutes_to"),
                row.getLong("minute_seq"),
                Timestamps.instant(row, "now"),
                row.getLong("newest")))
        .optional();
  }

  /** Returns the number of the oldest event that is kept; the next one where none is. */
  long oldestEvent() {
    return db.sql(OLDEST_EVENT).query(Long.class).single();
  }

  /** Returns the head; refuses with {@code UNAVAILABLE} before {@link #begin}. */
  Head requireHead() {
    return head()
        .orElseThrow(() ->
            ProblemException.unavailable(
                "the history of statuses is not written yet; try again in a few seconds"));
  }

  /** Begins with the oldest event that is kept, unless another replica has begun already. */
  @Transactional(isolation = Isolation.REPEATABLE_READ, timeout = BEGIN_TIMEOUT_S)
  public void begin() {
    timeouts.allow(Duration.ofSeconds(BEGIN_TIMEOUT_S));
    if (db.sql(BEGIN).update() == 1) {
      db.sql(BEGIN_WITHOUT_EVENTS)
          .param("types", StatusChange.TYPES.toArray(String[]::new))
          .update();
    }
  }

  /** Deletes the history; the next {@link #begin} rebuilds it from the events that are kept. */
  @Transactional
  public void clear() {
    db.sql(CLEAR).update();
  }

  /**
   * Adds transitions and moves the head, in one transaction. Does nothing and returns false when
   * another replica has moved the head since it was read.
   *
   * @param seen the head after which the events were read
   * @param lastSeq the number of the last of these events
   * @param upTo the new {@link Head#upTo}
   * @param failing passes over a transition that cannot be stored
   */
  @Transactional
  public boolean add(
      Head seen, long lastSeq, Instant upTo, List<StatusChange> changes, FailingUnits failing) {
    Optional<Long> locked = db.sql(LOCK_HEAD).query(Long.class).optional();
    if (locked.isEmpty() || locked.get() != seen.lastSeq()) {
      return false;
    }
    failing.passAll(
        changes,
        change -> "event " + change.seq(),
        some -> transactions.runNested(() -> store(some, seen.beganAt())));
    db.sql(MOVE_HEAD).param("last_seq", lastSeq).param("up_to", Timestamps.utc(upTo)).update();
    return true;
  }

  private void store(List<StatusChange> changes, Instant beganAt) {
    UUID[] ids = changes.stream().map(StatusChange::workspaceId).distinct().toArray(UUID[]::new);
    List<StatusPeriod> open = db.sql(OPEN).param("ids", ids).query(StatusPeriod::read).list();
    store(StatusPeriods.apply(open, changes, beganAt));
  }

  private void store(StatusPeriods periods) {
    List<StatusPeriod> ended = periods.ended();
    if (!ended.isEmpty()) {
      columns(db.sql(INSERT_ENDED), ended)
          .param("untils", texts(ended, period -> String.valueOf(period.until())))
          .update();
    }
    if (!periods.removed().isEmpty()) {
      db.sql(DELETE_REMOVED).param("ids", periods.removed().toArray(UUID[]::new)).update();
    }
    List<StatusPeriod> begun = periods.begun();
    if (!begun.isEmpty()) {
      columns(db.sql(PUT_OPEN), begun).update();
    }
  }

  private static JdbcClient.StatementSpec columns(
      JdbcClient.StatementSpec statement, List<StatusPeriod> periods) {
    return statement
        .param("ids", periods.stream().map(StatusPeriod::workspaceId).toArray(UUID[]::new))
        .param("sinces", texts(periods, period -> period.since().toString()))
        .param("seqs", periods.stream().map(StatusPeriod::seq).toArray(Long[]::new))
        .param("previous", texts(periods, StatusPeriod::previous))
        .param("statuses", texts(periods, StatusPeriod::status))
        .param("reasons", texts(periods, StatusPeriod::reason))
        .param("errors", texts(periods, StatusPeriod::error));
  }

  private static @Nullable String[] texts(
      Collection<StatusPeriod> periods, Function<StatusPeriod, @Nullable String> text) {
    return periods.stream().map(text).toArray(String[]::new);
  }

  /** Deletes periods that ended more than so many days ago; returns how many. */
  int deleteOld(int days, int most, int passedOver) {
    return db.sql(DELETE_OLD)
        .param("days", days)
        .param("most", most)
        .param("passed_over", passedOver)
        .update();
  }
}
