package dev.muster.delegation;

import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Deletes delegations 90 days after they ended (R6.11). */
@Configuration(proxyBeanMethods = false)
class DelegationRetention {

  static final int BATCH_SIZE = 1000;

  /**
   * A delegation ends after its creation, so the condition on {@code created_at} narrows the
   * search. The index orders the times of each status.
   */
  static final String DELETE_ENDED =
      """
      DELETE FROM delegations WHERE delegation_id IN (
          SELECT old.delegation_id FROM unnest('{completed,failed}'::text[]) AS ended (status) CROSS JOIN LATERAL (
              SELECT delegation_id FROM delegations
              WHERE terminal_status = ended.status AND created_at < statement_timestamp() - interval '90 days'
                  AND updated_at < statement_timestamp() - interval '90 days'
              ORDER BY created_at, id LIMIT (SELECT :most + :passed_over)) AS old
          LIMIT (SELECT :most) OFFSET :passed_over)
      """;

  private final JdbcClient db;
  private final DailyDeletion deletion;

  DelegationRetention(JdbcClient db, MeterRegistry metrics) {
    this.db = db;
    this.deletion =
        new DailyDeletion("delegation-retention", metrics, BATCH_SIZE, this::deleteBatch);
  }

  @Bean
  RecurringJob delegationRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  private int deleteBatch(int most, int passedOver) {
    return db.sql(DELETE_ENDED).param("most", most).param("passed_over", passedOver).update();
  }
}
