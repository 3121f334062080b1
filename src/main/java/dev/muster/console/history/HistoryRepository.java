package dev.muster.console.history;

import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import java.sql.ResultSet;
import java.sql.SQLException;
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

/** Stores the stays of workspaces, and how far the recorded events are in them. */
@Repository
class HistoryRepository {

  /** The first start reads the statuses of the whole fleet. */
  private static final int SECONDS_FOR_A_START = 30;

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
   * Those of whom no event is kept. The event of a transition is committed with it, so in one
   * snapshot a workspace has its last event or has had none since.
   */
  private static final String BEGIN_WITHOUT_EVENTS =
      """
      INSERT INTO status_open (workspace_id, since, seq, status, degraded_reason, error)
      SELECT b.workspace_id, b.status_since, 0, b.status, b.degraded_reason,
          CASE WHEN b.status = 'degraded' THEN nullif(left(b.sample_error, 160), '') END
      FROM api_workspace_status b
      WHERE b.status <> 'removed' AND b.workspace_id NOT IN (
          SELECT workspace_id FROM api_event_recorded WHERE workspace_id IS NOT NULL AND event_type = ANY (:types))
      """;

  private static final String FORGET =
      "TRUNCATE history_head, status_open, status_spells, fleet_minutes";

  private static final String LOCK_HEAD = "SELECT last_seq FROM history_head FOR UPDATE";

  private static final String MOVE_HEAD =
      "UPDATE history_head SET last_seq = :last_seq, up_to = greatest(up_to, :up_to)";

  private static final String OPEN =
      """
      SELECT workspace_id, seq, since, NULL::timestamptz AS until, status, degraded_reason, error
      FROM status_open WHERE workspace_id = ANY (:ids)
      """;

  private static final String INSERT_ENDED =
      """
      INSERT INTO status_spells (workspace_id, since, seq, until, status, degraded_reason, error)
      SELECT * FROM unnest(:ids::uuid[], :sinces::timestamptz[], :seqs::bigint[], :untils::timestamptz[],
          :statuses::text[], :reasons::text[], :errors::text[])
      """;

  private static final String PUT_OPEN =
      """
      INSERT INTO status_open (workspace_id, since, seq, status, degraded_reason, error)
      SELECT * FROM unnest(:ids::uuid[], :sinces::timestamptz[], :seqs::bigint[], :statuses::text[], :reasons::text[],
          :errors::text[])
      ON CONFLICT (workspace_id) DO UPDATE SET since = excluded.since, seq = excluded.seq, status = excluded.status,
          degraded_reason = excluded.degraded_reason, error = excluded.error
      """;

  private static final String DELETE_REMOVED =
      "DELETE FROM status_open WHERE workspace_id = ANY (:ids)";

  private static final String DELETE_OLD =
      """
      DELETE FROM status_spells WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM status_spells WHERE until < now() - make_interval(days => :days) ORDER BY until LIMIT :most))
      """;

  /**
   * How far the history goes.
   *
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

    /** Returns whether all events that have a number are in it. */
    boolean isUpToDate() {
      return lastSeq >= newest;
    }

    /** Returns the oldest time that the history has, when it keeps so many days. */
    Instant oldest(int days) {
      Instant kept = now.minus(Duration.ofDays(days));
      return kept.isAfter(beganAt) ? kept : beganAt;
    }
  }

  private final JdbcClient db;
  private final StatementTimeouts timeouts;

  HistoryRepository(JdbcClient db, StatementTimeouts timeouts) {
    this.db = db;
    this.timeouts = timeouts;
  }

  /** Returns how far it goes; empty before the first start. */
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

  /** Returns how far it goes; refuses with {@code UNAVAILABLE} before the first start. */
  Head requireHead() {
    return head()
        .orElseThrow(() ->
            ProblemException.unavailable(
                "the history of statuses is not made yet; try again in a few seconds"));
  }

  /** Begins with the oldest event that is kept, unless another replica has begun. */
  @Transactional(isolation = Isolation.REPEATABLE_READ, timeout = SECONDS_FOR_A_START)
  public void begin() {
    timeouts.allow(Duration.ofSeconds(SECONDS_FOR_A_START));
    if (db.sql(BEGIN).update() == 1) {
      db.sql(BEGIN_WITHOUT_EVENTS)
          .param("types", StatusChange.TYPES.toArray(String[]::new))
          .update();
    }
  }

  /** Forgets everything, so that the next {@link #begin} makes it anew. */
  @Transactional
  public void forget() {
    db.sql(FORGET).update();
  }

  /**
   * Adds transitions, and moves the head with them in one transaction. Does nothing and returns
   * false when another replica has moved it since it was read.
   *
   * @param seen the head after which the events were read
   * @param lastSeq the number of the last of them
   * @param upTo all events of what was committed some seconds before are among them
   */
  @Transactional
  public boolean add(Head seen, long lastSeq, Instant upTo, List<StatusChange> changes) {
    Optional<Long> locked = db.sql(LOCK_HEAD).query(Long.class).optional();
    if (locked.isEmpty() || locked.get() != seen.lastSeq()) {
      return false;
    }
    if (!changes.isEmpty()) {
      UUID[] ids = changes.stream().map(StatusChange::workspaceId).distinct().toArray(UUID[]::new);
      List<Stay> open = db.sql(OPEN).param("ids", ids).query(HistoryRepository::stay).list();
      store(Stays.follow(open, changes, seen.beganAt()));
    }
    db.sql(MOVE_HEAD).param("last_seq", lastSeq).param("up_to", Timestamps.utc(upTo)).update();
    return true;
  }

  private void store(Stays stays) {
    List<Stay> ended = stays.ended();
    if (!ended.isEmpty()) {
      columns(db.sql(INSERT_ENDED), ended)
          .param("untils", texts(ended, stay -> String.valueOf(stay.until())))
          .update();
    }
    if (!stays.removed().isEmpty()) {
      db.sql(DELETE_REMOVED).param("ids", stays.removed().toArray(UUID[]::new)).update();
    }
    List<Stay> begun = stays.begun();
    if (!begun.isEmpty()) {
      columns(db.sql(PUT_OPEN), begun).update();
    }
  }

  private static JdbcClient.StatementSpec columns(
      JdbcClient.StatementSpec statement, List<Stay> stays) {
    return statement
        .param("ids", stays.stream().map(Stay::workspaceId).toArray(UUID[]::new))
        .param("sinces", texts(stays, stay -> stay.since().toString()))
        .param("seqs", stays.stream().map(Stay::seq).toArray(Long[]::new))
        .param("statuses", texts(stays, Stay::status))
        .param("reasons", texts(stays, Stay::reason))
        .param("errors", texts(stays, Stay::error));
  }

  private static @Nullable String[] texts(
      Collection<Stay> stays, Function<Stay, @Nullable String> text) {
    return stays.stream().map(text).toArray(String[]::new);
  }

  /** Deletes stays that ended more than so many days ago; returns how many. */
  int deleteOld(int days, int most) {
    return db.sql(DELETE_OLD).param("days", days).param("most", most).update();
  }

  static Stay stay(ResultSet row, int n) throws SQLException {
    return new Stay(
        row.getObject("workspace_id", UUID.class),
        row.getLong("seq"),
        Timestamps.instant(row, "since"),
        Timestamps.instantOrNull(row, "until"),
        row.getString("status"),
        row.getString("degraded_reason"),
        row.getString("error"));
  }
}
