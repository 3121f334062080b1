package dev.muster.identity;

import dev.muster.platform.jobs.DailyDeletion;
import dev.muster.platform.jobs.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Deletes tokens 90 days after they were revoked (R6.11). */
@Configuration(proxyBeanMethods = false)
class TokenRetention {

  static final int BATCH_SIZE = 1000;

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
          ORDER BY t.revoked_at LIMIT :most)
      """;

  private final JdbcClient db;
  private final DailyDeletion deletion;

  TokenRetention(JdbcClient db, MeterRegistry metrics) {
    this.db = db;
    this.deletion = new DailyDeletion("token-retention", this::deleteBatch, metrics);
  }

  @Bean
  RecurringJob tokenRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  int deleteBatch() {
    return db.sql(DELETE_REVOKED).param("most", BATCH_SIZE).update();
  }
}
