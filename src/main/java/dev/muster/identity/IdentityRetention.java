package dev.muster.identity;

import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes audit rows after 90 days, and ended tokens, sessions and links 90 days after their end.
 *
 * <p>Revoked tokens of workspaces have a job of their own (R6.11).
 */
@Configuration(proxyBeanMethods = false)
class IdentityRetention {

  private static final int BATCH_SIZE = 1000;

  /**
   * Keeps the last used token of a workspace for as long as the workspace exists. Registration
   * depends on whether any token was ever used (R3.1).
   */
  private static final String DELETE_REVOKED =
      """
      DELETE FROM workspace_tokens WHERE id IN (
          SELECT t.id FROM workspace_tokens t
          WHERE t.revoked_at < statement_timestamp() - interval '90 days'
              AND (t.last_used_at IS NULL OR EXISTS (
                  SELECT FROM workspace_tokens other
                  WHERE other.workspace_id = t.workspace_id AND other.last_used_at IS NOT NULL
                      AND (other.revoked_at IS NULL OR (other.revoked_at, other.id) > (t.revoked_at, t.id))))
          ORDER BY t.revoked_at, t.id LIMIT :most OFFSET :passed_over)
      """;

  private final JdbcClient db;
  private final DailyDeletion audit;
  private final DailyDeletion workspaceTokens;

  IdentityRetention(
      JdbcClient db,
      AuditRepository audit,
      RoleTokenRepository roleTokens,
      SessionRepository sessions,
      MeterRegistry metrics) {
    this.db = db;
    this.audit =
        new DailyDeletion(
            "audit-retention",
            metrics,
            BATCH_SIZE,
            audit::deleteOld,
            roleTokens::deleteEnded,
            sessions::deleteEnded,
            sessions::deleteOldLinks);
    this.workspaceTokens =
        new DailyDeletion("token-retention", metrics, BATCH_SIZE, this::deleteWorkspaceTokens);
  }

  @Bean
  RecurringJob auditRetentionJob() {
    return audit.job();
  }

  @Bean
  RecurringJob tokenRetentionJob() {
    return workspaceTokens.job();
  }

  int sweepAudit() {
    return audit.sweep();
  }

  int sweepWorkspaceTokens() {
    return workspaceTokens.sweep();
  }

  /** Deletes a batch of revoked tokens of workspaces; returns their number. */
  int deleteWorkspaceTokens(int most, int passedOver) {
    return db.sql(DELETE_REVOKED).param("most", most).param("passed_over", passedOver).update();
  }
}
