package dev.muster.workspace;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Who stands above, below and beside whom, and so who may talk to whom (R3.4). */
@Repository
public class Hierarchy {

  /** A child as it is named to somebody who forgot that there are children. */
  record Child(UUID id, String name) {}

  /** Any constant that nobody else takes: one lock serialises all changes of the tree (R2.1). */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(7001)";

  /**
   * Itself and all descendants that are not removed; UNION drops what it has seen, so a cycle
   * cannot trap it.
   */
  private static final String BRANCH =
      """
      WITH RECURSIVE branch AS (
          SELECT id FROM workspaces WHERE id = :id AND removed_at IS NULL
          UNION
          SELECT w.id FROM workspaces w JOIN branch ON w.parent_id = branch.id WHERE w.removed_at IS NULL
      )
      SELECT id FROM branch
      """;

  private static final String CHILDREN =
      """
      SELECT w.id, w.name FROM workspaces w
      WHERE w.parent_id = :id AND w.removed_at IS NULL
      ORDER BY w.created_at, w.id
      """;

  private static final String LIVE_CHILDREN =
      """
      SELECT w.id, w.name FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.parent_id = :id AND b.status NOT IN ('paused', 'removed')
      ORDER BY w.created_at, w.id
      """;

  private static final String EXISTS =
      "SELECT EXISTS (SELECT FROM workspaces WHERE id = :id AND removed_at IS NULL)";

  private static final String MAY_TALK =
      """
      WITH RECURSIVE pair AS (
          SELECT id, parent_id FROM workspaces WHERE id IN (:one, :other) AND removed_at IS NULL
      ), above AS (
          SELECT id AS below, parent_id AS id FROM pair
          UNION
          SELECT above.below, w.parent_id FROM workspaces w JOIN above ON w.id = above.id
      )
      SELECT EXISTS (SELECT FROM pair WHERE id = :one) AND EXISTS (SELECT FROM pair WHERE id = :other) AND (
          :one = :other
          OR EXISTS (SELECT FROM above WHERE (below, id) IN ((:one, :other), (:other, :one)))
          OR EXISTS (
              SELECT FROM pair a JOIN pair b ON a.id <> b.id
              WHERE a.parent_id = b.parent_id OR (:roots AND a.parent_id IS NULL AND b.parent_id IS NULL)))
      """;

  private static final String COUNT_CHANGE = "UPDATE workspace_tree SET version = version + 1";

  private final JdbcClient db;
  private final WorkspaceSettings settings;

  Hierarchy(JdbcClient db, WorkspaceSettings settings) {
    this.db = db;
    this.settings = settings;
  }

  /** Until the transaction ends, nobody else changes the tree. */
  void lock() {
    db.sql(LOCK).query((row, n) -> n).list();
  }

  /** In the transaction of a change that may part two workspaces, under {@link #lock}. */
  void countChange() {
    db.sql(COUNT_CHANGE).update();
  }

  /** Itself and all its descendants, removed ones left out. */
  List<UUID> branch(UUID id) {
    return db.sql(BRANCH).param("id", id).query((row, n) -> row.getObject("id", UUID.class)).list();
  }

  List<Child> children(UUID id) {
    return db.sql(CHILDREN).param("id", id).query(Hierarchy::child).list();
  }

  /** Those neither paused nor removed. */
  List<Child> liveChildren(UUID id) {
    return db.sql(LIVE_CHILDREN).param("id", id).query(Hierarchy::child).list();
  }

  boolean exists(UUID id) {
    return db.sql(EXISTS).param("id", id).query(Boolean.class).single();
  }

  /**
   * The same workspace, siblings, and any ancestor and descendant; unknown or removed ones never.
   */
  public boolean mayTalk(UUID one, UUID other) {
    return db.sql(MAY_TALK)
        .param("one", one)
        .param("other", other)
        .param("roots", settings.rootsAreSiblings())
        .query(Boolean.class)
        .single();
  }

  private static Child child(ResultSet row, int n) throws SQLException {
    return new Child(row.getObject("id", UUID.class), row.getString("name"));
  }
}
