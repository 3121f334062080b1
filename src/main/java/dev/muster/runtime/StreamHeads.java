package dev.muster.runtime;

import dev.muster.workspace.WorkspaceListener;
import dev.muster.workspace.WorkspaceStatus;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Updates stream heads and runs when a workspace changes.
 *
 * <p>A head exists as long as its workspace. Runs become lost in the transaction that makes the
 * workspace offline or removed, so a crash cannot separate the two.
 */
@Repository
class StreamHeads implements WorkspaceListener {

  private static final String INSERT = "INSERT INTO runtime_heads (workspace_id) VALUES (:id)";

  /**
   * A separate statement, so that the next one sees the runs that the previous lock holder
   * committed.
   */
  private static final String LOCK =
      """
      SELECT FROM runtime_heads WHERE workspace_id = ANY (:ids) ORDER BY workspace_id FOR NO KEY UPDATE
      """;

  private static final String LOSE_RUNS =
      """
      UPDATE runtime_runs SET lost_at = greatest(statement_timestamp(), last_event_at)
      WHERE workspace_id = ANY (:ids) AND ended_at IS NULL AND lost_at IS NULL
      """;

  private static final String DELETE =
      """
      WITH heads AS (DELETE FROM runtime_heads WHERE workspace_id = ANY (:ids)),
      runs AS (DELETE FROM runtime_runs WHERE workspace_id = ANY (:ids)),
      output AS (DELETE FROM runtime_output WHERE workspace_id = ANY (:ids))
      DELETE FROM runtime_segments WHERE workspace_id = ANY (:ids)
      """;

  private final JdbcClient db;

  StreamHeads(JdbcClient db) {
    this.db = db;
  }

  @Override
  public void created(UUID workspaceId) {
    db.sql(INSERT).param("id", workspaceId).update();
  }

  @Override
  public void statusChanged(Collection<UUID> workspaceIds, WorkspaceStatus status) {
    if (status == WorkspaceStatus.OFFLINE || status == WorkspaceStatus.REMOVED) {
      UUID[] ids = workspaceIds.toArray(UUID[]::new);
      db.sql(LOCK).param("ids", ids).query((row, n) -> n).list();
      db.sql(LOSE_RUNS).param("ids", ids).update();
    }
  }

  @Override
  public void deleted(List<UUID> workspaceIds) {
    db.sql(DELETE).param("ids", workspaceIds.toArray(UUID[]::new)).update();
  }
}
