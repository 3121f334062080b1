package dev.muster.message.feed;

import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.WorkspaceListener;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Creates and deletes feed heads with their workspaces, so each append finds a head to lock. It
 * stores in them how far each agent has acknowledged its feed (R6.7).
 */
@Repository
class FeedHeads implements WorkspaceListener {

  private static final String INSERT =
      StablePlans.ofNoTable("INSERT INTO activity_feeds (workspace_id) VALUES (:id)");

  private static final String DELETE = "DELETE FROM activity_feeds WHERE workspace_id = ANY (:ids)";

  private static final String ACKNOWLEDGE =
      """
      UPDATE activity_feeds SET last_acked_seq = :seq
      WHERE workspace_id = :workspace_id AND last_acked_seq < :seq AND last_seq >= :seq
      RETURNING last_acked_seq
      """;

  private static final String SEQS =
      "SELECT last_seq, last_acked_seq FROM activity_feeds WHERE workspace_id = :workspace_id";

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

  /**
   * Raises the acknowledged {@code seq} and returns the stored one, which never decreases. Throws
   * {@code VALIDATION_FAILED} for a {@code seq} above the feed's last.
   */
  long acknowledge(UUID workspaceId, long seq) {
    return db.sql(ACKNOWLEDGE)
        .param("workspace_id", workspaceId)
        .param("seq", seq)
        .query(Long.class)
        .optional()
        .orElseGet(() -> unmoved(workspaceId, seq));
  }

  private long unmoved(UUID workspaceId, long seq) {
    return db.sql(SEQS)
        .param("workspace_id", workspaceId)
        .query((row, n) -> {
          if (seq > row.getLong("last_seq")) {
            throw ProblemException.validation(
                "acked_seq: "
                    + seq
                    + " (expected: at most the feed's last seq, "
                    + row.getLong("last_seq")
                    + ")");
          }
          return row.getLong("last_acked_seq");
        })
        .single();
  }
}
