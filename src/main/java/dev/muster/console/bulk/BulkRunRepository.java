package dev.muster.console.bulk;

import dev.muster.console.bulk.BulkRun.Item;
import dev.muster.console.bulk.BulkRun.Outcome;
import dev.muster.console.bulk.BulkRun.State;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores bulk runs and reads them for operators. */
@Repository
class BulkRunRepository {

  private static final String INSERT =
      """
      INSERT INTO bulk_runs (id, action, filter, cascade, text, note, who, audit_id, targets, total, created_at, due_at)
      VALUES (:id, :action, :filter, :cascade, :text, :note, :who, :audit_id, :targets, cardinality(:targets::uuid[]),
          statement_timestamp(), statement_timestamp())
      """;

  /**
   * The targets of an undo are the workspaces that the run has changed. Inserts nothing when the
   * run has an undo.
   */
  private static final String INSERT_UNDO =
      """
      INSERT INTO bulk_runs (
          id, action, filter, cascade, who, audit_id, targets, expected, total, undo_of, created_at, due_at)
      SELECT :id, :action, r.filter, r.cascade, :who, :audit_id,
          coalesce(array_agg(i.workspace_id ORDER BY i.position), '{}'),
          coalesce(array_agg(i.changed_at ORDER BY i.position), '{}'),
          count(i.workspace_id), r.id, statement_timestamp(), statement_timestamp()
      FROM bulk_runs r LEFT JOIN bulk_items i ON i.run_id = r.id AND i.outcome = 'done'
      WHERE r.id = :undo_of
      GROUP BY r.id
      ON CONFLICT (undo_of) WHERE undo_of IS NOT NULL DO NOTHING
      """;

  /** Stores a run for workspaces that are removed already, with their outcomes. */
  private static final String INSERT_REMOVED =
      """
      WITH run AS (
          INSERT INTO bulk_runs (id, action, cascade, who, audit_id, targets, total, stored, created_at, due_at)
          VALUES (:id, 'remove', true, :who, :audit_id, :targets, cardinality(:targets::uuid[]),
              cardinality(:targets::uuid[]), statement_timestamp(), statement_timestamp()))
      INSERT INTO bulk_items (run_id, position, workspace_id, outcome, changed_at)
      SELECT :id, position, workspace_id, 'done', :removed_at
      FROM unnest(:targets::uuid[]) WITH ORDINALITY AS target (workspace_id, position)
      """;

  /** A run with removed workspaces that leave something open ends after that. */
  private static final String CANCEL =
      """
      UPDATE bulk_runs SET cancelled = true, ended_at = CASE WHEN stored <= handled THEN statement_timestamp() END
      WHERE id = :id AND ended_at IS NULL AND stored < total
      """;

  private static final String AUDIT_ID =
      "SELECT audit_id FROM bulk_runs WHERE id = :id AND audit_id IS NOT NULL";

  private static final String FIND =
      """
      SELECT r.id, r.action, r.filter, r.cascade, r.text, r.note, r.who, r.total, r.done, r.skipped, r.failed,
          r.undo_of, undo.id AS undone_by, r.created_at, r.ended_at, r.cancelled,
          r.stored < r.total AND NOT r.cancelled AS changes_more
      FROM bulk_runs r LEFT JOIN bulk_runs undo ON undo.undo_of = r.id
      WHERE r.id = :id
      """;

  private static final String NEWEST_FIRST =
      """
      SELECT r.id, r.action, r.filter, r.cascade, r.text, r.note, r.who, r.total, r.done, r.skipped, r.failed,
          r.undo_of, undo.id AS undone_by, r.created_at, r.ended_at, r.cancelled,
          r.stored < r.total AND NOT r.cancelled AS changes_more
      FROM bulk_runs r LEFT JOIN bulk_runs undo ON undo.undo_of = r.id
      WHERE (r.created_at, r.id) < (:before_time, :before_id)
      ORDER BY r.created_at DESC, r.id DESC
      LIMIT :most
      """;

  private static final String ITEMS =
      """
      SELECT position, workspace_id, outcome, code, detail, changed_at FROM bulk_items
      WHERE run_id = :id AND position > :after AND (:outcome::text IS NULL OR outcome = :outcome)
      ORDER BY position LIMIT :most
      """;

  /** The subquery keeps the planner from reading the items of all runs. */
  private static final String DELETE_OLD_ITEMS =
      """
      DELETE FROM bulk_items WHERE (run_id, position) IN (
          SELECT i.run_id, i.position FROM bulk_runs r CROSS JOIN LATERAL (
              SELECT run_id, position FROM bulk_items WHERE run_id = r.id ORDER BY position OFFSET 0) AS i
          WHERE r.created_at < statement_timestamp() - interval '90 days'
          ORDER BY r.created_at LIMIT :most OFFSET :passed_over)
      """;

  /** Runs after the items are deleted, so that no item is left without its run. */
  private static final String DELETE_OLD =
      """
      DELETE FROM bulk_runs r WHERE id = ANY (ARRAY(
              SELECT id FROM bulk_runs WHERE created_at < statement_timestamp() - interval '90 days'
              ORDER BY created_at, id LIMIT :most OFFSET :passed_over))
          AND NOT EXISTS (SELECT FROM bulk_items i WHERE i.run_id = r.id)
      """;

  private final JdbcClient db;

  BulkRunRepository(JdbcClient db) {
    this.db = db;
  }

  void insert(UUID id, BulkRequest wanted, List<UUID> targets, String who, Optional<UUID> auditId) {
    db.sql(INSERT)
        .param("id", id)
        .param("action", wanted.action().wire())
        .param("filter", wanted.filter())
        .param("cascade", wanted.wanted().branches())
        .param("text", wanted.text().orElse(null))
        .param("note", wanted.note().orElse(null))
        .param("who", who)
        .param("audit_id", auditId.orElse(null), Types.OTHER)
        .param("targets", targets.toArray(UUID[]::new))
        .update();
  }

  /** Stores a run that only ends what these removed workspaces leave open. */
  void insertRemoved(
      UUID id, List<UUID> removed, Instant removedAt, String who, Optional<UUID> auditId) {
    db.sql(INSERT_REMOVED)
        .param("id", id)
        .param("who", who)
        .param("audit_id", auditId.orElse(null), Types.OTHER)
        .param("targets", removed.toArray(UUID[]::new))
        .param("removed_at", Timestamps.utc(removedAt))
        .update();
  }

  /** Returns false when the run has an undo already. */
  boolean insertUndo(UUID id, BulkAction action, UUID undoOf, String who, Optional<UUID> auditId) {
    return db.sql(INSERT_UNDO)
            .param("id", id)
            .param("action", action.wire())
            .param("undo_of", undoOf)
            .param("who", who)
            .param("audit_id", auditId.orElse(null), Types.OTHER)
            .update()
        == 1;
  }

  /**
   * Cancels a run after the batch that is in progress; returns false when the run has ended, or all
   * of its workspaces are removed.
   */
  boolean cancel(UUID id) {
    return db.sql(CANCEL).param("id", id).update() == 1;
  }

  /** Returns the id of the audit row that recorded the start. */
  Optional<UUID> auditIdOf(UUID id) {
    return db.sql(AUDIT_ID).param("id", id).query(UUID.class).optional();
  }

  Optional<BulkRun> find(UUID id) {
    return db.sql(FIND).param("id", id).query(BulkRunRepository::run).optional();
  }

  Page<BulkRun> page(PageCursor after, int limit) {
    PageCursor before = after.equals(PageCursor.START) ? PageCursor.END : after;
    List<BulkRun> rows =
        db.sql(NEWEST_FIRST)
            .param("before_time", Timestamps.utc(before.createdAt()))
            .param("before_id", before.id())
            .param("most", limit + 1)
            .query(BulkRunRepository::run)
            .list();
    return Page.of(rows, limit, last -> new PageCursor(last.createdAt(), last.bulkId()));
  }

  /** Returns outcomes after a position, in the order of the targets. */
  List<Item> items(UUID id, Optional<Outcome> outcome, int after, int most) {
    return db.sql(ITEMS)
        .param("id", id)
        .param("after", after)
        .param("outcome", outcome.map(Outcome::wire).orElse(null))
        .param("most", most)
        .query((row, n) ->
            new Item(
                row.getInt("position"),
                row.getObject("workspace_id", UUID.class),
                Outcome.of(row.getString("outcome")),
                row.getString("code"),
                row.getString("detail"),
                Timestamps.instantOrNull(row, "changed_at")))
        .list();
  }

  int deleteOldItems(int most, int passedOver) {
    return db.sql(DELETE_OLD_ITEMS).param("most", most).param("passed_over", passedOver).update();
  }

  int deleteOld(int most, int passedOver) {
    return db.sql(DELETE_OLD).param("most", most).param("passed_over", passedOver).update();
  }

  private static BulkRun run(ResultSet row, int n) throws SQLException {
    @Nullable Instant endedAt = Timestamps.instantOrNull(row, "ended_at");
    return new BulkRun(
        row.getObject("id", UUID.class),
        BulkAction.of(row.getString("action")),
        row.getString("filter"),
        row.getBoolean("cascade"),
        row.getString("text"),
        row.getString("note"),
        endedAt == null
            ? State.RUNNING
            : row.getBoolean("cancelled") ? State.CANCELLED : State.DONE,
        endedAt == null && row.getBoolean("changes_more"),
        row.getInt("total"),
        row.getInt("done"),
        row.getInt("skipped"),
        row.getInt("failed"),
        row.getString("who"),
        row.getObject("undo_of", UUID.class),
        row.getObject("undone_by", UUID.class),
        Timestamps.instant(row, "created_at"),
        endedAt);
  }
}
