package dev.muster.workspace;

import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Prevents the removal of two workspaces until the transaction ends. Either the removal waits and
 * then finds what the transaction committed, or it came first and is detected here. Without the
 * lock, a delegation committed during a removal would stay open until its deadline.
 *
 * <p>The locks are those of foreign keys, so heartbeats and status changes do not wait for them.
 */
@Repository
public class PresenceLock {

  private static final String LOCK =
      """
      SELECT workspace_id FROM workspace_heartbeats WHERE workspace_id IN (:one, :other) AND status <> 'removed'
      ORDER BY workspace_id FOR KEY SHARE
      """;

  private static final int BOTH = 2;

  private final JdbcClient db;
  private final Workspaces workspaces;

  PresenceLock(JdbcClient db, Workspaces workspaces) {
    this.db = db;
    this.workspaces = workspaces;
  }

  /**
   * Locks both workspaces; returns whether both exist. Must come before any other lock of the
   * transaction.
   */
  public boolean holds(UUID oneId, UUID otherId) {
    return db.sql(LOCK)
            .param("one", oneId)
            .param("other", otherId)
            .query((row, n) -> n)
            .list()
            .size()
        == BOTH;
  }

  /** Locks like {@link #holds}; throws 404 or 410 if one does not exist. */
  public void require(UUID oneId, UUID otherId) {
    if (!holds(oneId, otherId)) {
      workspaces.requirePresent(oneId);
      workspaces.requirePresent(otherId);
    }
  }
}
