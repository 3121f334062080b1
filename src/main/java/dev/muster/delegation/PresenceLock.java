package dev.muster.delegation;

import dev.muster.workspace.Workspaces;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Parts what is started for two workspaces from a removal of either: the removal waits, and then
 * finds what was started, or it came first and is found here. Without this, what is committed while
 * a removal looks for delegations would wait for its deadline.
 *
 * <p>The locks are those of foreign keys: heartbeats and status changes go on beside them.
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

  /** Whether both are there, and stay until the transaction ends. Before any other lock. */
  boolean holds(UUID callerId, UUID calleeId) {
    return db.sql(LOCK)
            .param("caller", callerId)
            .param("callee", calleeId)
            .query((row, n) -> n)
            .list()
            .size()
        == BOTH;
  }

  /** As {@link #holds}; refuses with 404 or 410 when one of them is not there. */
  void require(UUID callerId, UUID calleeId) {
    if (!holds(callerId, calleeId)) {
      workspaces.requirePresent(callerId);
      workspaces.requirePresent(calleeId);
    }
  }
}
