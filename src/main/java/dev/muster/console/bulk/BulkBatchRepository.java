package dev.muster.console.bulk;

import dev.muster.console.bulk.BulkRun.Item;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.LifecycleBatches;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Selects the next targets of bulk runs and stores their outcomes. Both are in the transaction that
 * changes the targets.
 *
 * <p>The lock on the run's row admits one replica at a time. When that replica is killed, its
 * transaction is rolled back and the lock is free.
 */
@Repository
class BulkBatchRepository {

  /**
   * Selects the run that has waited longest, so that a small run does not wait for the end of a
   * large one.
   */
  private static final String LOCK_NEXT =
      """
      SELECT id, action, text, who, undo_of, handled, stored, now() AS at,
          targets[handled + 1 : handled + CASE
              WHEN stored > handled THEN least(stored - handled, :changes)
              WHEN action = 'message' THEN :messages ELSE :changes END] AS batch,
          expected[handled + 1 : handled + CASE WHEN action = 'message' THEN :messages ELSE :changes END] AS expected
      FROM bulk_runs
      WHERE ended_at IS NULL AND due_at <= statement_timestamp()
      ORDER BY due_at, id
      LIMIT 1
      FOR UPDATE SKIP LOCKED
      """;

  /** Finds no run whose next target is another one by now, or which another replica has locked. */
  private static final String LOCK_AGAIN =
      """
      SELECT id FROM bulk_runs
      WHERE id = :id AND handled = :handled AND stored = :stored AND ended_at IS NULL
      FOR UPDATE SKIP LOCKED
      """;

  private static final String STORE =
      """
      INSERT INTO bulk_items (run_id, position, workspace_id, outcome, code, detail, changed_at)
      SELECT :id, position, workspace_id, outcome, code, detail,
          CASE WHEN outcome = 'done' THEN :changed_at::timestamptz END
      FROM unnest(:positions::integer[], :workspace_ids::uuid[], :outcomes::text[], :codes::text[], :details::text[])
          AS item (position, workspace_id, outcome, code, detail)
      """;

  /** A cancelled run ends when no target is half done. */
  private static final String ADVANCE =
      """
      UPDATE bulk_runs r SET
          stored = greatest(r.stored, :stored),
          handled = :handled,
          done = r.done + i.done,
          skipped = r.skipped + i.skipped,
          failed = r.failed + i.failed,
          due_at = statement_timestamp(),
          ended_at = CASE
              WHEN :handled >= CASE WHEN r.cancelled THEN r.stored ELSE r.total END THEN statement_timestamp() END
      FROM (
          SELECT count(*) FILTER (WHERE outcome = 'done') AS done,
              count(*) FILTER (WHERE outcome = 'skipped') AS skipped,
              count(*) FILTER (WHERE outcome = 'failed') AS failed
          FROM bulk_items WHERE run_id = :id AND position > :before AND position <= :handled) i
      WHERE r.id = :id
      RETURNING r.ended_at IS NOT NULL
      """;

  private static final String REMOVED =
      """
      SELECT workspace_id FROM bulk_items
      WHERE run_id = :id AND position > :handled AND position <= :end AND outcome = 'done'
      """;

  private static final String DELAY =
      """
      UPDATE bulk_runs SET due_at = statement_timestamp() + make_interval(secs => :pause_s) WHERE id = :id
      """;

  /**
   * Selects workspaces that were paused again after the run, or may have been; the undo of a resume
   * leaves them alone. One that has the status of the resume was not. Of the others the events
   * tell, as long as that of the resume is kept: retention deletes older ones first. Events with
   * and without a number have one index each. The types are compared after {@code OFFSET 0}, so
   * that the index of a type is not read, which has the events of all workspaces.
   */
  private static final String PAUSED_SINCE =
      """
      SELECT seen.id, paused.is_seen
      FROM unnest(:ids::uuid[], :since::text[]) AS given (id, since_text)
      CROSS JOIN LATERAL (SELECT given.id, since_text::timestamptz AS since) AS seen
      CROSS JOIN LATERAL (SELECT status, status_since FROM api_workspace_status WHERE workspace_id = given.id OFFSET 0) AS b
      CROSS JOIN LATERAL (
          SELECT
              b.status = 'paused' OR bool_or(event_type = 'WORKSPACE_PAUSED' AND created_at > seen.since) IS TRUE AS is_seen,
              bool_or(event_type = 'WORKSPACE_AWAITING_AGENT'
                  AND strpos(payload::text, '"status_since":"' || since_text || '"') > 0) IS TRUE AS resume_is_kept
          FROM (
              (SELECT event_type, created_at, payload FROM api_event_recorded
                  WHERE workspace_id = seen.id AND seq IS NOT NULL AND created_at >= seen.since OFFSET 0)
              UNION ALL
              (SELECT event_type, created_at, payload FROM api_event_recorded
                  WHERE workspace_id = seen.id AND seq IS NULL AND created_at >= seen.since OFFSET 0)) AS e) AS paused
      WHERE b.status <> 'removed' AND b.status_since <> seen.since AND (paused.is_seen OR NOT paused.resume_is_kept)
      """;

  /**
   * The next targets of a run.
   *
   * @param handled the number of targets before these
   * @param stored the number of targets whose outcome is stored: more than {@code handled} if these
   *     are removed, but not yet all of their delegations and messages have ended
   * @param expected for an undo: the time at which each target got the status that the undone run
   *     gave it
   */
  record Batch(
      UUID runId,
      BulkAction action,
      @Nullable String text,
      String who,
      @Nullable UUID undoOf,
      int handled,
      int stored,
      Instant at,
      List<UUID> ids,
      Map<UUID, Instant> expected) {

    /** Tells whether these are removed already, and only what they leave open is to end. */
    boolean isRemoved() {
      return stored > handled;
    }

    /** Returns the number of targets up to the last of these. */
    int end() {
      return handled + ids.size();
    }

    /** Returns a batch of the first {@code many} targets. */
    Batch first(int many) {
      return new Batch(
          runId, action, text, who, undoOf, handled, stored, at, ids.subList(0, many), expected);
    }
  }

  /** A run that this version cannot read, such as one of a newer version. */
  static final class UnreadableRunException extends RuntimeException {

    private final UUID runId;

    UnreadableRunException(UUID runId, Throwable cause) {
      super("the bulk run " + runId + " cannot be read: " + cause.getMessage(), cause);
      this.runId = runId;
    }

    UUID runId() {
      return runId;
    }
  }

  private final JdbcClient db;

  BulkBatchRepository(JdbcClient db) {
    this.db = db;
  }

  /** Locks the next run until the transaction ends; empty when none is left or free. */
  Optional<Batch> lockNext() {
    return db.sql(LOCK_NEXT)
        .param("messages", BulkAction.MESSAGE.batchSize())
        .param("changes", BulkAction.PAUSE.batchSize())
        .query(BulkBatchRepository::batch)
        .optional();
  }

  /**
   * Locks the run of a batch that was rolled back, until the transaction ends. Returns false if
   * another replica has the batch now, or has stored it.
   */
  boolean lockAgain(Batch batch) {
    return db.sql(LOCK_AGAIN)
        .param("id", batch.runId())
        .param("handled", batch.handled())
        .param("stored", batch.stored())
        .query((row, n) -> row.getObject("id", UUID.class))
        .optional()
        .isPresent();
  }

  private static Batch batch(ResultSet row, int n) throws SQLException {
    UUID runId = row.getObject("id", UUID.class);
    try {
      return batch(runId, row);
    } catch (RuntimeException e) {
      throw new UnreadableRunException(runId, e);
    }
  }

  private static Batch batch(UUID runId, ResultSet row) throws SQLException {
    List<UUID> ids = Arrays.asList((UUID[]) row.getArray("batch").getArray());
    Map<UUID, Instant> expected = new HashMap<>();
    @Nullable Array times = row.getArray("expected");
    if (times != null) {
      try (ResultSet time = times.getResultSet()) {
        while (time.next()) {
          expected.put(
              ids.get(time.getInt(1) - 1), time.getObject(2, OffsetDateTime.class).toInstant());
        }
      }
    }
    return new Batch(
        runId,
        BulkAction.of(row.getString("action")),
        row.getString("text"),
        row.getString("who"),
        row.getObject("undo_of", UUID.class),
        row.getInt("handled"),
        row.getInt("stored"),
        Timestamps.instant(row, "at"),
        ids,
        expected);
  }

  /** Makes the run wait, so that other runs go first. */
  void delay(UUID runId, Duration pause) {
    db.sql(DELAY).param("id", runId).param("pause_s", pause.toSeconds()).update();
  }

  /**
   * Stores the outcomes of a batch; returns whether the run has ended.
   *
   * @param items empty if they are stored already
   * @param isOver false if the next batch is this one again
   */
  boolean store(Batch batch, List<Item> items, boolean isOver) {
    if (!items.isEmpty()) {
      @Nullable Instant changedAt =
          items.stream().map(Item::changedAt).filter(Objects::nonNull).findFirst().orElse(null);
      db.sql(STORE)
          .param("id", batch.runId())
          .param("changed_at", changedAt == null ? null : Timestamps.utc(changedAt))
          .param("positions", items.stream().map(Item::position).toArray(Integer[]::new))
          .param("workspace_ids", items.stream().map(Item::workspaceId).toArray(UUID[]::new))
          .param("outcomes", items.stream().map(i -> i.outcome().wire()).toArray(String[]::new))
          .param("codes", items.stream().map(Item::code).toArray(String[]::new))
          .param("details", items.stream().map(Item::detail).toArray(String[]::new))
          .update();
    }
    return db.sql(ADVANCE)
        .param("id", batch.runId())
        .param("before", batch.handled())
        .param("handled", isOver ? batch.end() : batch.handled())
        .param("stored", batch.end())
        .query(Boolean.class)
        .single();
  }

  /** Returns the workspaces of a batch whose stored outcome is that they are removed. */
  List<UUID> removed(Batch batch) {
    return db.sql(REMOVED)
        .param("id", batch.runId())
        .param("handled", batch.handled())
        .param("end", batch.end())
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /**
   * Returns why the undo of a resume leaves these workspaces alone: they were paused again after
   * the time at which they were resumed, or that cannot be told any more.
   */
  Map<UUID, ProblemException> pausedSince(Map<UUID, Instant> resumedAt) {
    UUID[] ids = resumedAt.keySet().toArray(UUID[]::new);
    Map<UUID, ProblemException> refusals = new HashMap<>();
    db.sql(PAUSED_SINCE)
        .param("ids", ids)
        .param(
            "since",
            Arrays.stream(ids).map(id -> String.valueOf(resumedAt.get(id))).toArray(String[]::new))
        .query(row -> {
          refusals.put(
              row.getObject("id", UUID.class),
              row.getBoolean("is_seen")
                  ? LifecycleBatches.changedSince()
                  : LifecycleBatches.perhapsChangedSince());
        });
    return refusals;
  }
}
