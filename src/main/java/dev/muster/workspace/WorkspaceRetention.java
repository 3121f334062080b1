package dev.muster.workspace;

import dev.muster.identity.Tokens;
import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.UUID;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Deletes workspaces 90 days after their removal (R6.11), with their tokens and registrations.
 * Children are deleted before their parents. The ids are kept for ever, so that none is assigned
 * again.
 */
@Configuration(proxyBeanMethods = false)
class WorkspaceRetention {

  static final int BATCH_SIZE = 1000;

  /**
   * Locks expired workspaces without children. A removed workspace gets no new child. A row locked
   * by another transaction waits for the next daily run.
   */
  private static final String LOCK_EXPIRED =
      """
      SELECT b.workspace_id FROM workspace_heartbeats b JOIN workspaces w ON w.id = b.workspace_id
      WHERE w.removed_at < clock_timestamp() - interval '90 days' AND b.status = 'removed'
          AND NOT EXISTS (SELECT FROM workspaces child WHERE child.parent_id = w.id)
      ORDER BY b.workspace_id LIMIT :most OFFSET :passed_over
      FOR UPDATE OF b SKIP LOCKED
      """;

  private static final String KEEP_IDS =
      """
      INSERT INTO removed_workspaces (id, removed_at) SELECT id, removed_at FROM workspaces WHERE id = ANY (:ids)
      ON CONFLICT (id) DO NOTHING
      """;

  private static final String DELETE_REGISTRATIONS =
      "DELETE FROM workspace_registrations WHERE workspace_id = ANY (:ids)";

  private static final String DELETE_HEARTBEATS =
      "DELETE FROM workspace_heartbeats WHERE workspace_id = ANY (:ids)";

  private static final String DELETE_WORKSPACES = "DELETE FROM workspaces WHERE id = ANY (:ids)";

  private final JdbcClient db;
  private final Tokens tokens;
  private final WorkspaceChanges changes;
  private final TransactionTemplate transactions;
  private final DailyDeletion deletion;

  WorkspaceRetention(
      JdbcClient db,
      Tokens tokens,
      WorkspaceChanges changes,
      TransactionTemplate transactions,
      MeterRegistry metrics) {
    this.db = db;
    this.tokens = tokens;
    this.changes = changes;
    this.transactions = transactions;
    this.deletion =
        new DailyDeletion("workspace-retention", metrics, BATCH_SIZE, this::deleteBatch);
  }

  @Bean
  RecurringJob workspaceRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  /** Deletes a batch of expired workspaces without children; returns their number. */
  int deleteBatch(int most, int passedOver) {
    return transactions.execute(status -> {
      List<UUID> expired =
          db.sql(LOCK_EXPIRED)
              .param("most", most)
              .param("passed_over", passedOver)
              .query((row, n) -> row.getObject("workspace_id", UUID.class))
              .list();
      if (!expired.isEmpty()) {
        tokens.deleteOfRemoved(expired);
        UUID[] ids = expired.toArray(UUID[]::new);
        db.sql(KEEP_IDS).param("ids", ids).update();
        db.sql(DELETE_REGISTRATIONS).param("ids", ids).update();
        db.sql(DELETE_HEARTBEATS).param("ids", ids).update();
        db.sql(DELETE_WORKSPACES).param("ids", ids).update();
        changes.deleted(expired);
      }
      return expired.size();
    });
  }
}
