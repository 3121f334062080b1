package dev.muster.webhook;

import dev.muster.platform.postgres.Timestamps;
import dev.muster.webhook.TroubleChange.Begins;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/** Stores which workspaces and delegations are in trouble, and which of them were reported. */
@Repository
class TroubleRepository {

  /** The maximum number of workspaces or delegations in a notification. */
  private static final int LISTED = 20;

  /**
   * A trouble that begins again with the same cause stays reported, unless its end was reported
   * meanwhile.
   */
  private static final String BEGIN =
      """
      INSERT INTO webhook_troubles AS t
          (subject, workspace_id, target_id, status, reason, pattern, error, since, noticed_at)
      SELECT subject, workspace_id, target_id, status, reason, pattern, error, since, :now
      FROM unnest(:subjects::text[], :workspace_ids::uuid[], :target_ids::uuid[], :statuses::text[], :reasons::text[],
          :patterns::text[], :errors::text[], :sinces::timestamptz[])
          AS new (subject, workspace_id, target_id, status, reason, pattern, error, since)
      ON CONFLICT (subject) DO UPDATE SET
          reported_in = CASE WHEN (t.status, t.reason, t.pattern) = (excluded.status, excluded.reason, excluded.pattern)
              AND t.well_reported_at IS NULL THEN t.reported_in END,
          was_reported = (t.reported_in IS NOT NULL OR t.was_reported) AND t.well_reported_at IS NULL,
          noticed_at = CASE WHEN t.reported_in IS NULL AND t.well_at IS NULL
              AND (t.status, t.reason, t.pattern) = (excluded.status, excluded.reason, excluded.pattern)
              THEN t.noticed_at ELSE excluded.noticed_at END,
          status = excluded.status, reason = excluded.reason, pattern = excluded.pattern,
          error = excluded.error, since = excluded.since, well_at = NULL, well_reported_at = NULL
      """;

  private static final String LEAVE =
      "DELETE FROM webhook_troubles WHERE subject = ANY (:subjects)";

  /** A trouble that ends before it was reported is never reported. */
  private static final String FORGET = LEAVE + " AND reported_in IS NULL AND NOT was_reported";

  private static final String END =
      """
      UPDATE webhook_troubles SET well_at = :now
      WHERE subject = ANY (:subjects) AND well_at IS NULL
      """;

  /**
   * Selects the troubles with a cause, or those with a status. The latter are without the causes of
   * which a notification waits: see {@link NotificationRepository#due}.
   */
  private static final String HAS_CAUSE =
      """
      t.status = :status AND (
          (t.reason, t.pattern) = (:reason, :pattern)
          OR :reason = '' AND (t.reason, t.pattern) NOT IN (
              SELECT n.reason, n.pattern FROM webhook_notifications n
              WHERE n.ended_at IS NULL AND n.status = :status))
      """;

  private static final String COUNT =
      """
      SELECT
          count(*) FILTER (WHERE reported_in IS NULL AND well_at IS NULL) AS unreported,
          count(*) FILTER (WHERE well_at IS NULL) AS unwell,
          count(*) FILTER (WHERE reported_in IS NOT NULL OR well_at IS NOT NULL) AS reported,
          count(well_at) AS well,
          count(*) FILTER (WHERE well_at IS NOT NULL AND well_reported_at IS NULL) AS well_unreported,
          min(since) FILTER (WHERE CASE WHEN :recovered THEN reported_in IS NOT NULL OR well_at IS NOT NULL ELSE well_at IS NULL END)
              AS since
      FROM webhook_troubles t
      WHERE
      """
          + HAS_CAUSE;

  private static final String LIST =
      """
      SELECT t.subject, t.workspace_id, n.name, t.target_id, target.name AS target_name,
          CASE WHEN :recovered THEN s.status ELSE t.status END AS status, t.since, t.error
      FROM webhook_troubles t
      LEFT JOIN api_workspace_name n ON n.id = t.workspace_id
      LEFT JOIN api_workspace_name target ON target.id = t.target_id
      LEFT JOIN api_workspace_status s ON s.workspace_id = t.workspace_id
      WHERE (t.well_at IS NOT NULL) = :recovered AND t.well_reported_at IS NULL AND
      """
          + HAS_CAUSE
          + """
          ORDER BY t.reported_in IS NOT NULL, t.since, t.subject
          LIMIT :most
          """;

  private static final String REPORTED =
      """
      UPDATE webhook_troubles t SET reported_in = :id
      WHERE reported_in IS NULL AND well_at IS NULL AND
      """
          + HAS_CAUSE;

  private static final String WELL_REPORTED =
      """
      UPDATE webhook_troubles t SET well_reported_at = :now
      WHERE well_at IS NOT NULL AND well_reported_at IS NULL AND
      """
          + HAS_CAUSE;

  /**
   * Deletes recovered troubles: those of a cause from which all have recovered, and those reported
   * a day ago.
   */
  private static final String DELETE_RECOVERED =
      """
      DELETE FROM webhook_troubles t
      WHERE t.well_reported_at IS NOT NULL AND (t.well_reported_at < :day_ago OR NOT EXISTS (
          SELECT FROM webhook_troubles o WHERE o.status = t.status AND o.reason = t.reason AND o.pattern = t.pattern
              AND o.well_reported_at IS NULL))
      """;

  /** A cause, or its end, that is due to be reported. */
  record Due(boolean recovered, Cause cause) {}

  /**
   * The numbers of workspaces or delegations that have or had a cause.
   *
   * @param since when the first of them began; null when there is none
   */
  record Counts(
      int unreported,
      int unwell,
      int reported,
      int well,
      int wellUnreported,
      @Nullable Instant since) {}

  /**
   * A workspace or delegation of a notification; names are null if the workspace is gone.
   *
   * @param status of the trouble, or of a recovered workspace now
   */
  record Listed(
      String subject,
      UUID workspaceId,
      @Nullable String name,
      @Nullable UUID targetId,
      @Nullable String targetName,
      @Nullable String status,
      Instant since,
      @Nullable String error) {}

  private final JdbcClient db;

  TroubleRepository(JdbcClient db) {
    this.db = db;
  }

  void begin(List<Begins> begun, Instant now) {
    db.sql(BEGIN)
        .param("now", Timestamps.utc(now))
        .param("subjects", texts(begun, Begins::subject))
        .param("workspace_ids", begun.stream().map(Begins::workspaceId).toArray(UUID[]::new))
        .param("target_ids", begun.stream().map(Begins::targetId).toArray(UUID[]::new))
        .param("statuses", texts(begun, one -> one.cause().status()))
        .param("reasons", texts(begun, one -> one.cause().reason()))
        .param("patterns", texts(begun, one -> one.cause().pattern()))
        .param("errors", texts(begun, Begins::error))
        .param("sinces", texts(begun, one -> one.since().toString()))
        .update();
  }

  void end(Collection<String> subjects, Instant now) {
    String[] all = subjects.toArray(String[]::new);
    db.sql(FORGET).param("subjects", all).update();
    db.sql(END).param("subjects", all).param("now", Timestamps.utc(now)).update();
  }

  void leave(Collection<String> subjects) {
    db.sql(LEAVE).param("subjects", subjects.toArray(String[]::new)).update();
  }

  Counts count(Due due) {
    return about(db.sql(COUNT), due.cause())
        .param("recovered", due.recovered())
        .query((row, n) ->
            new Counts(
                row.getInt("unreported"),
                row.getInt("unwell"),
                row.getInt("reported"),
                row.getInt("well"),
                row.getInt("well_unreported"),
                Timestamps.instantOrNull(row, "since")))
        .single();
  }

  List<Listed> list(Due due) {
    return about(db.sql(LIST), due.cause())
        .param("recovered", due.recovered())
        .param("most", LISTED)
        .query((row, n) ->
            new Listed(
                row.getString("subject"),
                row.getObject("workspace_id", UUID.class),
                row.getString("name"),
                row.getObject("target_id", UUID.class),
                row.getString("target_name"),
                row.getString("status"),
                Timestamps.instant(row, "since"),
                row.getString("error")))
        .list();
  }

  /** Marks what the notification {@code id} reports. */
  void markReported(Due due, UUID id, Instant now) {
    about(db.sql(due.recovered() ? WELL_REPORTED : REPORTED), due.cause())
        .param("id", id)
        .param("now", Timestamps.utc(now))
        .update();
    if (due.recovered()) {
      db.sql(DELETE_RECOVERED)
          .param("day_ago", Timestamps.utc(now.minus(Duration.ofDays(1))))
          .update();
    }
  }

  private static StatementSpec about(StatementSpec statement, Cause cause) {
    return statement
        .param("status", cause.status())
        .param("reason", cause.reason())
        .param("pattern", cause.pattern());
  }

  private static @Nullable String[] texts(
      List<Begins> begun, Function<Begins, @Nullable String> text) {
    return begun.stream().map(text).toArray(String[]::new);
  }
}
