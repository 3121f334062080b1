package dev.muster.webhook;

import dev.muster.platform.postgres.Timestamps;
import dev.muster.webhook.TroubleRepository.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * Stores notifications until they are sent, and the position up to which events were read. Makes
 * the troubles of a dropped notification unreported again.
 */
@Repository
class NotificationRepository {

  /** The time for which a notification is tried before it is dropped. */
  static final Duration LIFE = Duration.ofHours(1);

  private static final String BEGIN =
      """
      INSERT INTO webhook_head (last_seq, up_since)
      VALUES (:last_seq, :up_since)
      ON CONFLICT DO NOTHING
      """;

  private static final String LOCK_HEAD =
      "SELECT last_seq, up_since, hold_reported FROM webhook_head FOR UPDATE SKIP LOCKED";

  private static final String AWAIT_HEAD = "SELECT last_seq FROM webhook_head FOR UPDATE";

  private static final String MOVE_HEAD =
      """
      UPDATE webhook_head SET last_seq = :last_seq, up_since = :up_since, hold_reported = :hold_reported
      """;

  /**
   * Selects the causes of {@link #due} and their ends, without those of which a notification waits:
   * notifications about one cause arrive in order, and do not pile up while the receiver is away.
   */
  private static final String DUE =
      """
      WITH recent AS MATERIALIZED (
          SELECT recovered, status, reason, pattern, created_at, ended_at FROM webhook_notifications
          WHERE created_at > :hour_ago OR ended_at IS NULL)
      SELECT g.recovered, g.status, g.reason, g.pattern FROM (
          SELECT false AS recovered, status, reason, pattern, min(noticed_at) AS first_at, max(noticed_at) AS last_at
          FROM webhook_troubles
          WHERE reported_in IS NULL AND well_at IS NULL AND status = ANY (:statuses)
          GROUP BY status, reason, pattern
          UNION ALL
          SELECT true, status, reason, pattern, min(well_at), max(well_at)
          FROM webhook_troubles
          WHERE well_at IS NOT NULL AND well_reported_at IS NULL
          GROUP BY status, reason, pattern) AS g
      CROSS JOIN LATERAL (
          SELECT
              count(*) FILTER (WHERE n.recovered = g.recovered) AS number,
              max(n.created_at) FILTER (WHERE n.recovered = g.recovered) AS last_at,
              bool_or(n.ended_at IS NULL) AS waits
          FROM recent n
          WHERE n.status = g.status
              AND (n.reason = '' OR (n.reason, n.pattern) = (g.reason, g.pattern))) AS reports
      WHERE (g.last_at <= :settled OR g.first_at <= :collected)
          AND reports.waits IS NOT TRUE
          AND (reports.last_at IS NULL
              OR reports.last_at
                  <= CASE WHEN reports.number < :often THEN :reported_before ELSE :reported_long_before END)
      ORDER BY g.first_at
      """;

  private static final String INSERT =
      """
      INSERT INTO webhook_notifications (id, recovered, status, reason, pattern, body, created_at, next_attempt_at)
      VALUES (:id, :recovered, :status, :reason, :pattern, :body, :now, :now)
      """;

  private static final String COUNT_SINCE =
      """
      SELECT count(*) FROM (
          SELECT FROM webhook_notifications WHERE created_at > :since
          ORDER BY created_at DESC LIMIT (SELECT :most)) AS newest
      """;

  private static final String DELETE_OLD =
      "DELETE FROM webhook_notifications WHERE created_at < :before AND ended_at IS NOT NULL";

  /**
   * One that waits, in a pause or a claim too, holds the later ones about its cause back; one
   * without a reason is about each cause with its status.
   */
  private static final String NEXT =
      """
      SELECT id FROM webhook_notifications n
      WHERE ended_at IS NULL AND next_attempt_at <= statement_timestamp() AND id <> ALL (:except::uuid[])
          AND NOT EXISTS (
              SELECT FROM webhook_notifications first
              WHERE first.ended_at IS NULL AND first.status = n.status
                  AND (first.reason = '' OR n.reason = '' OR (first.reason, first.pattern) = (n.reason, n.pattern))
                  AND (first.created_at, first.id) < (n.created_at, n.id))
      ORDER BY next_attempt_at, created_at
      LIMIT 1
      """;

  /**
   * The claim of a replica that crashes while it sends expires, and another replica then sends the
   * same notification.
   */
  private static final String CLAIM =
      """
      UPDATE webhook_notifications SET
          attempts = attempts + 1,
          next_attempt_at = statement_timestamp() + interval '30 seconds'
      WHERE id = :id AND ended_at IS NULL AND next_attempt_at <= statement_timestamp()
      RETURNING id, body, attempts
      """;

  private static final String ANY_WAITS =
      "SELECT EXISTS (SELECT FROM webhook_notifications WHERE ended_at IS NULL)";

  private static final String WAITS =
      "SELECT EXISTS (SELECT FROM webhook_notifications WHERE ended_at IS NULL AND status ="
          + " :status)";

  private static final String END =
      """
      UPDATE webhook_notifications SET ended_at = statement_timestamp()
      WHERE id = :id AND ended_at IS NULL
      """;

  private static final String TRY_LATER =
      """
      UPDATE webhook_notifications SET next_attempt_at = statement_timestamp() + make_interval(secs => :seconds)
      WHERE id = :id AND ended_at IS NULL AND created_at > statement_timestamp() - make_interval(secs => :life)
      """;

  /**
   * Deletes the troubles of a dropped notification that have ended: the receiver learned of none of
   * them. Keeps one that followed another trouble of its subject that was reported, since its
   * recovery is to be reported.
   */
  private static final String FORGET_ENDED =
      """
      DELETE FROM webhook_troubles
      WHERE reported_in = :id AND well_at IS NOT NULL AND NOT was_reported
      """;

  private static final String REPORT_ANEW =
      "UPDATE webhook_troubles SET reported_in = NULL WHERE reported_in = :id";

  /** Without its begin, the end of a mass silence is not reported. */
  private static final String FORGET_HOLD =
      """
      UPDATE webhook_head SET hold_reported = false
      WHERE EXISTS (SELECT FROM webhook_notifications WHERE id = :id AND status = 'suspended' AND NOT recovered)
      """;

  /** The position in the recorded events, and what was reported about the server itself. */
  record Head(long lastSeq, Instant upSince, boolean holdReported) {}

  /** A notification that this replica sends now; {@code attempts} includes this attempt. */
  record Claimed(UUID id, String body, int attempts) {}

  private final JdbcClient db;

  NotificationRepository(JdbcClient db) {
    this.db = db;
  }

  /** Sets the position to {@code lastSeq}, unless a replica has set it before. */
  void begin(long lastSeq, Instant upSince) {
    db.sql(BEGIN).param("last_seq", lastSeq).param("up_since", Timestamps.utc(upSince)).update();
  }

  /** Locks the head until the transaction ends; empty when another replica has locked it. */
  Optional<Head> lockHead() {
    return db.sql(LOCK_HEAD)
        .query((row, n) ->
            new Head(
                row.getLong("last_seq"),
                Timestamps.instant(row, "up_since"),
                row.getBoolean("hold_reported")))
        .optional();
  }

  void moveHead(Head head) {
    db.sql(MOVE_HEAD)
        .param("last_seq", head.lastSeq())
        .param("up_since", Timestamps.utc(head.upSince()))
        .param("hold_reported", head.holdReported())
        .update();
  }

  /**
   * Returns the causes, and their ends, that are to be reported now, in the order of their begins.
   *
   * @param statuses those of the troubles that are reported; of all others only the ends
   * @param settleTime a cause is due when it has not grown for this time
   * @param interval a cause is also due when it began to grow this time ago; and no cause is
   *     reported at shorter intervals
   * @param often after so many reports in an hour, {@code longInterval} holds in place of {@code
   *     interval}
   */
  List<Due> due(
      List<String> statuses,
      Instant now,
      Duration settleTime,
      Duration interval,
      int often,
      Duration longInterval) {
    return db.sql(DUE)
        .param("statuses", statuses.toArray(String[]::new))
        .param("settled", Timestamps.utc(now.minus(settleTime)))
        .param("collected", Timestamps.utc(now.minus(interval)))
        .param("reported_before", Timestamps.utc(now.minus(interval)))
        .param("reported_long_before", Timestamps.utc(now.minus(longInterval)))
        .param("hour_ago", Timestamps.utc(now.minus(Duration.ofHours(1))))
        .param("often", often)
        .query((row, n) ->
            new Due(
                row.getBoolean("recovered"),
                new Cause(
                    row.getString("status"), row.getString("reason"), row.getString("pattern"))))
        .list();
  }

  void insert(UUID id, boolean recovered, Cause cause, String body, Instant now) {
    db.sql(DELETE_OLD).param("before", Timestamps.utc(now.minus(LIFE.multipliedBy(2)))).update();
    db.sql(INSERT)
        .param("id", id)
        .param("recovered", recovered)
        .param("status", cause.status())
        .param("reason", cause.reason())
        .param("pattern", cause.pattern())
        .param("body", body)
        .param("now", Timestamps.utc(now))
        .update();
  }

  /** Counts at most {@code most}. */
  int countSince(Instant since, int most) {
    return db.sql(COUNT_SINCE)
        .param("since", Timestamps.utc(since))
        .param("most", most)
        .query(Integer.class)
        .single();
  }

  /** Returns the notification that has been due for longest. */
  Optional<UUID> next(List<UUID> except) {
    return db.sql(NEXT)
        .param("except", except.toArray(UUID[]::new))
        .query((row, n) -> row.getObject("id", UUID.class))
        .optional();
  }

  /** Claims a notification; empty when another replica was faster. */
  Optional<Claimed> claim(UUID id) {
    return db.sql(CLAIM)
        .param("id", id)
        .query((row, n) ->
            new Claimed(
                row.getObject("id", UUID.class), row.getString("body"), row.getInt("attempts")))
        .optional();
  }

  /** Returns whether a notification about a cause with this one's status waits. */
  boolean waits(Cause cause) {
    return db.sql(WAITS).param("status", cause.status()).query(Boolean.class).single();
  }

  boolean anyWaits() {
    return db.sql(ANY_WAITS).query(Boolean.class).single();
  }

  void end(UUID id) {
    db.sql(END).param("id", id).update();
  }

  /**
   * Ends a notification that was not taken; what lasts of its troubles is reported anew. Waits for
   * the head, so that no trouble ends meanwhile.
   */
  @Transactional
  public void drop(UUID id) {
    db.sql(AWAIT_HEAD).query().listOfRows();
    db.sql(FORGET_ENDED).param("id", id).update();
    db.sql(REPORT_ANEW).param("id", id).update();
    db.sql(FORGET_HOLD).param("id", id).update();
    end(id);
  }

  /** Returns false when the notification is too old for another attempt. */
  boolean tryLater(UUID id, Duration pause) {
    return db.sql(TRY_LATER)
            .param("id", id)
            .param("seconds", pause.toMillis() / 1000.0)
            .param("life", LIFE.toSeconds())
            .update()
        == 1;
  }
}
