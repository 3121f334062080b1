package dev.muster.delegation;

import dev.muster.workspace.Workspaces;
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
class PresenceLock {

  private static final String LOCK =
      """
      SELECT workspace_id FROM workspace_heartbeats WHERE workspace_id IN (:caller, :callee) AND status <> 'removed'
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
  boolean holds(UUID callerId, UUID calleeId) {
    return db.sql(LOCK)
            .param("caller", callerId)
            .param("callee", calleeId)
            .query((row, n) -> n)
            .list()
            .size()
        == BOTH;
  }

  /** Locks like {@link #holds}; throws 404 or 410 if one does not exist. */
  void require(UUID callerId, UUID calleeId) {
    if (!holds(callerId, calleeId)) {
      workspaces.requirePresent(callerId);
      workspaces.requirePresent(calleeId);
    }
  }
}
