package dev.muster.activity;

import dev.muster.workspace.WorkspaceListener;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Creates and deletes feed heads with their workspaces. So each append finds a head to lock. */
@Repository
class FeedHeads implements WorkspaceListener {

  private static final String INSERT = "INSERT INTO activity_feeds (workspace_id) VALUES (:id)";

  private static final String DELETE = "DELETE FROM activity_feeds WHERE workspace_id = ANY (:ids)";

  private final JdbcClient db;

  FeedHeads(JdbcClient db) {
    this.db = db;
  }

  @Override
  public void created(UUID workspaceId) {
    db.sql(INSERT).param("id", workspaceId).update();
  }

  @Override
  public void deleted(List<UUID> workspaceIds) {
    db.sql(DELETE).param("ids", workspaceIds.toArray(UUID[]::new)).update();
  }
}
