package dev.muster.message.store;

import dev.muster.message.AppendResult;
import dev.muster.platform.postgres.StablePlans;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Finds the targets for which messages wait, and counts the messages. */
@Repository
public class WaitingTargets {

  /**
   * A target for which messages wait.
   *
   * @param isDue whether one of the messages can be tried now
   * @param mayAnswer whether all pause, but the agent has sent a heartbeat since a call that it did
   *     not answer (R7.7)
   * @param isThere whether the workspace has not been removed
   */
  public record WaitedFor(UUID id, boolean isDue, boolean mayAnswer, boolean isThere) {}

  private static final int PAGE_SIZE = 1000;
  private static final UUID FIRST_ID = new UUID(0, 0);

  private static final String IS_FULL =
      """
      SELECT count(*) >= :most FROM (
          SELECT FROM deliveries WHERE workspace_id = :target AND queued AND owner IS NULL LIMIT :most) AS first
      """;

  private static final String COUNT =
      "SELECT count(*) FROM deliveries WHERE queued AND owner IS NULL";

  /** Goes from target to target by the index: what waits for others is not read. */
  private static final String TARGETS =
      StablePlans.inIndexOrder(
          """
          WITH RECURSIVE target (id) AS (
              (SELECT workspace_id FROM deliveries WHERE queued AND workspace_id > :after ORDER BY workspace_id LIMIT 1)
              UNION ALL
              SELECT (
                  SELECT d.workspace_id FROM deliveries d WHERE d.queued AND d.workspace_id > target.id
                  ORDER BY d.workspace_id LIMIT 1)
              FROM target WHERE target.id IS NOT NULL)
          SELECT found.id, due.is_due AND is_reachable AS is_due, NOT due.is_due AND is_reachable AND EXISTS (
                  SELECT FROM unanswered_calls u WHERE u.workspace_id = found.id AND {MAY_ANSWER}) AS may_answer, is_there
          FROM (SELECT id FROM target WHERE id IS NOT NULL LIMIT :most) AS found
          CROSS JOIN LATERAL (
              SELECT (
                  SELECT true FROM deliveries d
                  WHERE d.workspace_id = found.id AND d.queued AND d.owner IS NULL AND d.due_at <= statement_timestamp()
                  ORDER BY d.kind, d.lane, d.priority DESC, d.enqueued_at, d.seq LIMIT 1) IS TRUE AS is_due
              OFFSET 0) AS due
          LEFT JOIN LATERAL (
              SELECT removed_at IS NULL AS is_there, delivery_mode = 'poll' AS polls
              FROM api_workspace_delivery WHERE id = found.id OFFSET 0) AS w ON true
          LEFT JOIN LATERAL (
              SELECT last_heartbeat_at, status IN ('online', 'degraded') AS is_alive
              FROM api_workspace_heartbeat WHERE workspace_id = found.id OFFSET 0) AS b ON true
          CROSS JOIN LATERAL (SELECT polls OR is_alive AS is_reachable) AS reach
          """
              .replace("{MAY_ANSWER}", UnansweredCalls.MAY_ANSWER));

  private final JdbcClient db;
  private final UnansweredCalls unanswered;

  WaitingTargets(JdbcClient db, UnansweredCalls unanswered) {
    this.db = db;
    this.unanswered = unanswered;
  }

  /** Refuses one message more when as many wait for the target as may (R7.7). */
  public void requireSpace(UUID targetId) {
    boolean isFull =
        db.sql(IS_FULL)
            .param("target", targetId)
            .param("most", MessageAdmission.MAX_QUEUED)
            .query(Boolean.class)
            .single();
    if (isFull) {
      throw AppendResult.QueueFull.refusal(targetId);
    }
  }

  /** Counts the messages that wait, for all targets. */
  long count() {
    return db.sql(COUNT).query(Long.class).single();
  }

  /** Streams all targets in id order. Reads each page of 1,000 when the stream reaches it. */
  public Stream<WaitedFor> all() {
    return Stream.iterate(
            page(FIRST_ID), page -> !page.isEmpty(), page -> page(page.getLast().id()))
        .flatMap(List::stream);
  }

  private List<WaitedFor> page(UUID after) {
    return db.sql(TARGETS)
        .param("after", after)
        .param("most", PAGE_SIZE)
        .param("trial_ms", unanswered.trialMillis())
        .query((row, n) ->
            new WaitedFor(
                row.getObject("id", UUID.class),
                row.getBoolean("is_due"),
                row.getBoolean("may_answer"),
                row.getBoolean("is_there")))
        .list();
  }
}
