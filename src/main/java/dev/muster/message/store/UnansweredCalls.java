package dev.muster.message.store;

import dev.muster.platform.work.Pace;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Knows which agents did not answer their last calls, and ends the pauses of their messages when
 * they may answer again (R7.7). After a heartbeat one message is tried; its answer makes the others
 * due, and so does a registration. So an agent that hangs and sends heartbeats gets one call at a
 * time.
 */
@Repository
public class UnansweredCalls {

  /** The least time between a call without an answer and the next one after a heartbeat. */
  private static final Duration TRIAL_PAUSE = Duration.ofSeconds(5);

  /**
   * Parts of a WITH clause that note how calls ended. They follow a part named {@code calls}, with
   * {@code workspace_id}, {@code seq}, {@code answered} (null: nothing was sent) and {@code error}.
   * Its deliveries are changed by the same statement, and therefore left alone here.
   */
  static final String NOTED =
      """
      heard AS (
          DELETE FROM unanswered_calls
          WHERE workspace_id = ANY (ARRAY(SELECT workspace_id FROM calls WHERE answered))
          RETURNING workspace_id),
      made_due AS (
          UPDATE deliveries d SET due_at = statement_timestamp()
          FROM (
              SELECT place FROM heard CROSS JOIN LATERAL (
                  SELECT ctid AS place FROM deliveries
                  WHERE workspace_id = heard.workspace_id AND queued AND owner IS NULL AND due_at > statement_timestamp()
                      AND seq <> ALL (ARRAY(SELECT seq FROM calls WHERE workspace_id = heard.workspace_id))
                  OFFSET 0) AS waiting) AS paused
          WHERE d.ctid = paused.place AND d.owner IS NULL),
      silent AS (
          INSERT INTO unanswered_calls AS u (workspace_id, since, last_at, calls, error)
          SELECT workspace_id, statement_timestamp(), statement_timestamp(),
              count(*) FILTER (WHERE NOT answered), max(error) FILTER (WHERE NOT answered)
          FROM calls
          GROUP BY workspace_id
          HAVING bool_or(NOT answered) AND NOT bool_or(coalesce(answered, false))
          ORDER BY workspace_id
          ON CONFLICT (workspace_id) DO UPDATE SET
              last_at = excluded.last_at,
              calls = u.calls + excluded.calls,
              error = excluded.error)
      """;

  /** Whether a heartbeat has come since the last call; the rows are {@code u} and {@code b}. */
  static final String MAY_ANSWER =
      "b.last_heartbeat_at > u.last_at AND u.last_at < statement_timestamp() - :trial_ms * interval"
          + " '1 ms'";

  private static final String MAKE_ONE_DUE =
      """
      UPDATE deliveries d SET due_at = statement_timestamp()
      FROM unnest(:ids::uuid[]) AS target (id) CROSS JOIN LATERAL (
          SELECT seq FROM deliveries
          WHERE workspace_id = target.id AND queued AND owner IS NULL AND expires_at > statement_timestamp()
          ORDER BY priority DESC, enqueued_at, seq LIMIT 1) AS first
      WHERE d.workspace_id = target.id AND d.seq = first.seq AND d.owner IS NULL
          AND NOT EXISTS (SELECT FROM deliveries h WHERE h.workspace_id = target.id AND h.queued AND h.owner IS NOT NULL)
      """;

  private static final String FORGET =
      "DELETE FROM unanswered_calls WHERE workspace_id = ANY (:ids)";

  private static final String MAKE_ALL_DUE =
      """
      WITH forgotten AS (DELETE FROM unanswered_calls WHERE workspace_id = :id)
      UPDATE deliveries SET due_at = statement_timestamp()
      WHERE workspace_id = :id AND queued AND owner IS NULL AND due_at > statement_timestamp()
      """;

  private final JdbcClient db;
  private final Duration trialPause;

  UnansweredCalls(JdbcClient db, Pace pace) {
    this.db = db;
    this.trialPause = pace.of(TRIAL_PAUSE);
  }

  /** In milliseconds, for the statements with {@link #MAY_ANSWER}. */
  long trialMillis() {
    return trialPause.toMillis();
  }

  /**
   * Makes one message due for each of these targets, which may answer and have none that is due;
   * for none that has a message in delivery by then.
   */
  public void makeOneDue(List<UUID> targetIds) {
    if (!targetIds.isEmpty()) {
      db.sql(MAKE_ONE_DUE).param("ids", targetIds.toArray(UUID[]::new)).update();
    }
  }

  /** Makes all messages of the target due, since its agent has just registered. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void registered(UUID targetId) {
    db.sql(MAKE_ALL_DUE).param("id", targetId).update();
  }

  public void forget(List<UUID> targetIds) {
    db.sql(FORGET).param("ids", targetIds.toArray(UUID[]::new)).update();
  }
}
