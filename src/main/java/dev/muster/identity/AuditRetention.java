package dev.muster.identity;

import dev.muster.platform.jobs.DailyDeletion;
import dev.muster.platform.jobs.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Deletes audit rows, and ended tokens of viewers and operators, sessions and links, after 90 days.
 */
@Configuration(proxyBeanMethods = false)
class AuditRetention {

  private static final int BATCH_SIZE = 1000;

  private final DailyDeletion deletion;

  AuditRetention(
      AuditRepository audit,
      RoleTokenRepository tokens,
      SessionRepository sessions,
      MeterRegistry metrics) {
    this.deletion =
        new DailyDeletion(
            "audit-retention",
            () ->
                audit.deleteOld(BATCH_SIZE)
                    + tokens.deleteEnded(BATCH_SIZE)
                    + sessions.deleteEnded(BATCH_SIZE),
            metrics);
  }

  @Bean
  RecurringJob auditRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }
}
