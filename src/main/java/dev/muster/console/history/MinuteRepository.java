package dev.muster.console.history;

import dev.muster.console.history.HistoryRepository.Head;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Stores the fleet of each full minute. */
@Repository
class MinuteRepository {

  /** The first start writes the minutes of weeks. */
  private static final int TIMEOUT_SECONDS = 30;

  private static final String LOCK_HEAD =
      "SELECT minutes_to FROM history_head WHERE last_seq = :last_seq FOR UPDATE";

  /**
   * Adds one for each begin of a status period and subtracts one for each end. So a period counts
   * at every full minute at which it had begun and had not ended.
   */
  private static final String WRITE =
      """
      WITH periods AS (
          SELECT status, since, until FROM ended_status_periods
          WHERE until > :from AND since <= :to AND until > since
          UNION ALL
          SELECT status, since, NULL FROM open_status_periods
          WHERE since <= :to
      ), steps AS (
          SELECT
              greatest(
                  date_bin('1 minute', since - interval '1 microsecond', 'epoch') + interval '1 minute',
                  :from) AS minute,
              status, 1 AS step, (since > :from - interval '1 minute')::integer AS began
          FROM periods
          UNION ALL
          SELECT date_bin('1 minute', until - interval '1 microsecond', 'epoch') + interval '1 minute', status, -1, 0
          FROM periods
          WHERE until <= :to
      ), changes AS (
          SELECT minute, sum(began) AS transitions,
              sum(step) FILTER (WHERE status = 'awaiting_agent') AS awaiting_agent,
              sum(step) FILTER (WHERE status = 'online') AS online,
              sum(step) FILTER (WHERE status = 'degraded') AS degraded,
              sum(step) FILTER (WHERE status = 'offline') AS offline,
              sum(step) FILTER (WHERE status = 'paused') AS paused,
              sum(step) FILTER (WHERE status = 'failed') AS failed,
              sum(step) FILTER (
                  WHERE status NOT IN ('awaiting_agent', 'online', 'degraded', 'offline', 'paused', 'failed')) AS other
          FROM steps
          GROUP BY minute
      )
      INSERT INTO fleet_minutes (minute, awaiting_agent, online, degraded, offline, paused, failed, other, transitions)
      SELECT minute,
          coalesce(sum(awaiting_agent) OVER past, 0),
          coalesce(sum(online) OVER past, 0),
          coalesce(sum(degraded) OVER past, 0),
          coalesce(sum(offline) OVER past, 0),
          coalesce(sum(paused) OVER past, 0),
          coalesce(sum(failed) OVER past, 0),
          coalesce(sum(other) OVER past, 0),
          coalesce(transitions, 0)
      FROM generate_series(:from, :to, interval '1 minute') AS minute LEFT JOIN changes USING (minute)
      WINDOW past AS (ORDER BY minute)
      ON CONFLICT (minute) DO NOTHING
      """;

  private static final String MEASURE =
      """
      UPDATE fleet_minutes SET
          events = :events,
          heartbeats = (
              SELECT count(*) FROM api_workspace_status
              WHERE last_heartbeat_at > :minute - interval '1 minute'),
          queued = (SELECT count(*) FROM api_message_queue),
          in_flight = (SELECT count(*) FROM api_delegation_open)
      WHERE minute = :minute
      """;

  private static final String MOVE_HEAD =
      "UPDATE history_head SET minutes_to = :minute, minute_seq = last_seq";

  private static final String DELETE_OLD =
      """
      DELETE FROM fleet_minutes WHERE minute IN (
          SELECT minute FROM fleet_minutes
          WHERE minute < now() - make_interval(days => :days)
          ORDER BY minute
          LIMIT :most OFFSET :passed_over)
      """;

  /** A point has the fewest that were online in one of its minutes, and the most of all else. */
  private static final String READ =
      """
      SELECT date_bin(make_interval(secs => :step_s), minute, :from) AS minute, max(awaiting_agent) AS awaiting_agent,
          min(online) AS online, max(degraded) AS degraded, max(offline) AS offline, max(paused) AS paused,
          max(failed) AS failed, max(other) AS other, sum(transitions) AS transitions, sum(events) AS events,
          min(heartbeats) AS heartbeats, max(queued) AS queued, max(in_flight) AS in_flight
      FROM fleet_minutes WHERE minute >= :from AND minute < :to
      GROUP BY 1 ORDER BY 1
      """;

  /** One minute, or several as one point; null for what was not measured at the time. */
  record Minute(
      Instant minute,
      int awaitingAgent,
      int online,
      int degraded,
      int offline,
      int paused,
      int failed,
      int other,
      long transitions,
      @Nullable Long events,
      @Nullable Integer heartbeats,
      @Nullable Integer queued,
      @Nullable Integer inFlight) {}

  private final JdbcClient db;
  private final StatementTimeouts timeouts;

  MinuteRepository(JdbcClient db, StatementTimeouts timeouts) {
    this.db = db;
    this.timeouts = timeouts;
  }

  /**
   * Writes the minutes after the last one. Does nothing when another replica has moved the head
   * since it was read.
   *
   * @param to a full minute that the history includes
   */
  @Transactional(timeout = TIMEOUT_SECONDS)
  public void write(Head seen, Instant to) {
    timeouts.allow(Duration.ofSeconds(TIMEOUT_SECONDS));
    Optional<Instant> last =
        db.sql(LOCK_HEAD)
            .param("last_seq", seen.lastSeq())
            .query((row, n) -> Timestamps.instant(row, "minutes_to"))
            .optional();
    if (last.isEmpty() || !last.get().isBefore(to)) {
      return;
    }
    Duration minute = Duration.ofMinutes(1);
    Instant from = last.get().plus(minute);
    db.sql(WRITE).param("from", Timestamps.utc(from)).param("to", Timestamps.utc(to)).update();
    if (from.equals(to)) {
      db.sql(MEASURE)
          .param("minute", Timestamps.utc(to))
          .param("events", seen.lastSeq() - seen.minuteSeq())
          .update();
    }
    db.sql(MOVE_HEAD).param("minute", Timestamps.utc(to)).update();
  }

  /** Deletes minutes that are older than so many days; returns how many. */
  int deleteOld(int days, int most, int passedOver) {
    return db.sql(DELETE_OLD)
        .param("days", days)
        .param("most", most)
        .param("passed_over", passedOver)
        .update();
  }

  /** Returns the minutes from {@code from} until before {@code to}, as points of {@code step}. */
  List<Minute> read(Instant from, Instant to, Duration step) {
    return db.sql(READ)
        .param("from", Timestamps.utc(from))
        .param("to", Timestamps.utc(to))
        .param("step_s", step.toSeconds())
        .query(MinuteRepository::minute)
        .list();
  }

  private static Minute minute(ResultSet row, int n) throws SQLException {
    return new Minute(
        Timestamps.instant(row, "minute"),
        row.getInt("awaiting_agent"),
        row.getInt("online"),
        row.getInt("degraded"),
        row.getInt("offline"),
        row.getInt("paused"),
        row.getInt("failed"),
        row.getInt("other"),
        row.getLong("transitions"),
        row.getObject("events") == null ? null : row.getLong("events"),
        row.getObject("heartbeats", Integer.class),
        row.getObject("queued", Integer.class),
        row.getObject("in_flight", Integer.class));
  }
}
