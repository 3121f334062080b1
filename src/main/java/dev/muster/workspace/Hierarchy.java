package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.SecuritySettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the hierarchy of workspaces, and so which may talk to each other (R3.4). */
@Repository
public class Hierarchy {

  /** A child, listed in a refusal of an unconfirmed change. */
  record Child(UUID id, String name) {}

  private record Pair(UUID one, UUID other) {}

  /** How many workspaces a request changes with all that are below them. */
  static final int MAX_BRANCH = 20_000;

  /** About 10 MiB; a pair beyond it is looked up again. */
  private static final int MAX_PAIRS = 50_000;

  /**
   * An advisory lock with a number of its own; it serialises all changes of the hierarchy (R2.1).
   */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(7001)";

  /**
   * The workspace and its descendants, except removed ones. UNION drops rows already seen, so a
   * cycle ends. The subquery keeps the planner from reading all workspaces for each level.
   */
  private static final String BRANCH =
      """
      WITH RECURSIVE branch AS (
          SELECT id FROM workspaces WHERE id = :id AND removed_at IS NULL
          UNION
          SELECT w.id FROM branch CROSS JOIN LATERAL (
              SELECT id FROM workspaces WHERE parent_id = branch.id AND removed_at IS NULL OFFSET 0) AS w
      )
      SELECT id FROM branch LIMIT :most
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

  private static final String CHILDREN_OF =
      """
      SELECT w.parent_id, w.id FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.parent_id = ANY (:ids) AND w.removed_at IS NULL AND (b.status <> 'paused' OR :paused_too)
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
  private final SecuritySettings settings;

  /** The hierarchy version for which each pair was allowed. */
  private final Cache<Pair, Long> allowed = Caffeine.newBuilder().maximumSize(MAX_PAIRS).build();

  Hierarchy(JdbcClient db, SecuritySettings settings) {
    this.db = db;
    this.settings = settings;
  }

  /** Locks the hierarchy against other changes until the transaction ends. */
  void lock() {
    db.sql(LOCK).query((row, n) -> n).list();
  }

  /**
   * Increments the hierarchy version. Call it under {@link #lock}, in the transaction of a change
   * that may separate two workspaces.
   */
  void countChange() {
    db.sql(COUNT_CHANGE).update();
  }

  /**
   * Returns the workspace and its descendants, except removed ones. Refuses a branch that is too
   * large for one transaction.
   */
  List<UUID> branch(UUID id) {
    List<UUID> branch =
        db.sql(BRANCH)
            .param("id", id)
            .param("most", MAX_BRANCH + 1)
            .query((row, n) -> row.getObject("id", UUID.class))
            .list();
    if (branch.size() > MAX_BRANCH) {
      throw ProblemException.validation(
          "the branch has more than "
              + MAX_BRANCH
              + " workspaces (expected: at most as many); change the branches below it one by one,"
              + " or all by POST /admin/bulk with cascade");
    }
    return branch;
  }

  List<Child> children(UUID id) {
    return db.sql(CHILDREN).param("id", id).query(Hierarchy::child).list();
  }

  /** Returns the children that are neither paused nor removed. */
  List<Child> liveChildren(UUID id) {
    return db.sql(LIVE_CHILDREN).param("id", id).query(Hierarchy::child).list();
  }

  /** Returns the children of several workspaces, by parent, without removed ones. */
  Map<UUID, List<UUID>> childrenOf(Collection<UUID> ids, boolean pausedToo) {
    Map<UUID, List<UUID>> children = new HashMap<>();
    db.sql(CHILDREN_OF)
        .param("ids", ids.toArray(UUID[]::new))
        .param("paused_too", pausedToo)
        .query(row -> {
          children
              .computeIfAbsent(row.getObject("parent_id", UUID.class), id -> new ArrayList<>())
              .add(row.getObject("id", UUID.class));
        });
    return children;
  }

  boolean exists(UUID id) {
    return db.sql(EXISTS).param("id", id).query(Boolean.class).single();
  }

  /**
   * Whether two workspaces may talk: the same one, siblings, or ancestor and descendant. An unknown
   * or removed workspace may not.
   */
  public boolean mayTalk(UUID one, UUID other) {
    return db.sql(MAY_TALK)
        .param("one", one)
        .param("other", other)
        .param("roots", settings.security().rootsAreSiblings())
        .query(Boolean.class)
        .single();
  }

  /**
   * As {@link #mayTalk(UUID, UUID)}, with a cache. An entry is valid only for the hierarchy version
   * it was computed for. That version is read with every target, and the append of a message checks
   * it again. So a pair that any replica has since separated is refused. Refusals are not cached.
   *
   * @param treeVersion the hierarchy version, read before this call
   */
  boolean mayTalk(UUID one, UUID other, long treeVersion) {
    Pair pair = new Pair(one, other);
    @Nullable Long known = allowed.getIfPresent(pair);
    if (known != null && known == treeVersion) {
      return true;
    }
    boolean mayTalk = mayTalk(one, other);
    if (mayTalk) {
      allowed.put(pair, treeVersion);
    }
    return mayTalk;
  }

  private static Child child(ResultSet row, int n) throws SQLException {
    return new Child(row.getObject("id", UUID.class), row.getString("name"));
  }
}
