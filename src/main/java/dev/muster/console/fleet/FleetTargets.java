package dev.muster.console.fleet;

import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Finds the targets of a bulk run, with the statement that all filters use. */
@Repository
public class FleetTargets {

  /**
   * Above the limits of other requests, because a large fleet on a busy database takes longer. The
   * caller's transaction and request need at least this time.
   */
  public static final Duration TIMEOUT = Duration.ofSeconds(15);

  private static final String NOW = "SELECT now() AS at";

  /**
   * With {@code branches}, all descendants of a match are targets too. The subquery is as in {@link
   * MatchingFleet#MATCHING}.
   */
  private static final String TARGETS =
      MatchingFleet.MATCHING
          + """
          , branches AS (
              WITH RECURSIVE found AS (
                  SELECT id, status FROM matching WHERE :with_branches
                  UNION
                  SELECT child.id, child.status FROM found CROSS JOIN LATERAL (
                      SELECT w.id, b.status FROM api_workspace_fleet w JOIN api_workspace_status b ON b.workspace_id = w.id
                      WHERE w.parent_id = found.id AND w.removed_at IS NULL
                      OFFSET 0) AS child)
              SELECT id, status FROM found
          ), targets AS MATERIALIZED (
              SELECT id, status FROM matching WHERE NOT :with_branches UNION ALL SELECT id, status FROM branches)
          """;

  /**
   * A target is blocked if it has a child that is not a target or is blocked itself; {@code which}
   * says which children count. So the blocked ones are found from below, one step of two indexes
   * for each. What is found above a target that is no target blocks nothing that is not found
   * anyway. The CASE is as in {@link MatchingFleet#MATCHING}.
   */
  private static final String GROUPS =
      TARGETS
          + """
          , blocked AS (
              WITH RECURSIVE found AS (
                  SELECT child.parent_id AS id
                  FROM targets parent
                  JOIN api_workspace_fleet child ON child.parent_id = parent.id
                  JOIN api_workspace_status b ON b.workspace_id = child.id
                  WHERE :which IN ('live', 'all')
                      AND CASE WHEN child.removed_at IS NULL THEN true ELSE false END
                      AND (:which = 'all' OR b.status <> 'paused')
                      AND NOT EXISTS (SELECT FROM targets t WHERE t.id = child.id)
                  UNION
                  SELECT child.parent_id FROM found CROSS JOIN LATERAL (
                      SELECT w.parent_id FROM api_workspace_fleet w JOIN api_workspace_status b ON b.workspace_id = w.id
                      WHERE w.id = found.id AND w.parent_id IS NOT NULL AND (:which = 'all' OR b.status <> 'paused')
                      OFFSET 0) AS child)
              SELECT id FROM found
              UNION ALL
              SELECT t.id FROM targets t JOIN api_workspace_fleet w ON w.id = t.id
              WHERE :which = 'called' AND t.status = 'paused' AND w.delivery_mode = 'push')
          SELECT status, count(*) AS workspaces, count(blocked.id) AS blocked,
              (array_agg(t.id) FILTER (WHERE blocked.id IS NULL))[1 : 20] AS few
          FROM targets t LEFT JOIN blocked ON blocked.id = t.id
          GROUP BY status ORDER BY count(*) DESC, status
          """;

  /** The subquery is as in {@link MatchingFleet#MATCHING}. */
  private static final String DEEPEST_FIRST =
      TARGETS
          + """
          , levels AS (
              WITH RECURSIVE down AS (
                  SELECT id, 0 AS level FROM api_workspace_fleet WHERE parent_id IS NULL
                  UNION ALL
                  SELECT child.id, level + 1 FROM down CROSS JOIN LATERAL (
                      SELECT id FROM api_workspace_fleet WHERE parent_id = down.id OFFSET 0) AS child)
              SELECT id, level FROM down)
          SELECT array_agg(t.id ORDER BY coalesce(l.level, 0) DESC, t.id) AS ids
          FROM targets t LEFT JOIN levels l ON l.id = t.id
          """;

  /**
   * Describes the targets.
   *
   * @param ids limits the matches to these; null for no limit
   * @param branches whether all descendants of a match are targets too
   */
  public record Wanted(String query, @Nullable List<UUID> ids, boolean branches) {}

  /** What blocks the change of a target. */
  public enum Hindrance {
    NONE,
    /** A child that is not paused and is not changed too. */
    LIVE,
    /** Any child that is not changed too. */
    ALL,
    /** The target is paused, and its agent is called. */
    CALLED
  }

  /**
   * The targets of one status.
   *
   * @param blocked how many of them cannot be changed, by the hindrance
   * @param few up to 20 of the others
   */
  public record Group(String status, long workspaces, long blocked, List<UUID> few) {}

  private final JdbcClient db;
  private final MatchingFleet fleet;
  private final StatementTimeouts timeouts;

  FleetTargets(JdbcClient db, MatchingFleet fleet, StatementTimeouts timeouts) {
    this.db = db;
    this.fleet = fleet;
    this.timeouts = timeouts;
  }

  /** Counts the targets by status; refuses an invalid query with 400. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Group> count(Wanted wanted, Hindrance hindrance) {
    timeouts.allow(TIMEOUT);
    return bound(GROUPS, wanted)
        .param("which", hindrance.name().toLowerCase(java.util.Locale.ROOT))
        .query((row, n) ->
            new Group(
                row.getString("status"),
                row.getLong("workspaces"),
                row.getLong("blocked"),
                ids(row, "few")))
        .list();
  }

  /** Returns the targets, children before parents; joins the caller's transaction. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<UUID> find(Wanted wanted) {
    timeouts.allow(TIMEOUT);
    return bound(DEEPEST_FIRST, wanted).query((row, n) -> ids(row, "ids")).single();
  }

  private StatementSpec bound(String sql, Wanted wanted) {
    Instant now = db.sql(NOW).query((row, n) -> Timestamps.instant(row, "at")).single();
    @Nullable List<UUID> ids = wanted.ids();
    return fleet
        .bound(
            sql,
            FleetFilter.read(wanted.query(), now),
            null,
            ids == null ? null : ids.toArray(UUID[]::new))
        .param("with_branches", wanted.branches());
  }

  private static List<UUID> ids(ResultSet row, String column) throws SQLException {
    @Nullable Array array = row.getArray(column);
    return array == null ? List.of() : Arrays.asList((UUID[]) array.getArray());
  }
}
