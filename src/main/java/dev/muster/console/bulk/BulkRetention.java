package dev.muster.console.bulk;

import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Deletes bulk runs and their outcomes after 90 days, like the rows of the audit. */
@Configuration(proxyBeanMethods = false)
class BulkRetention {

  private static final int BATCH_SIZE = 1000;

  private final DailyDeletion deletion;

  BulkRetention(BulkRunRepository runs, MeterRegistry metrics) {
    this.deletion =
        new DailyDeletion(
            "bulk-retention", metrics, BATCH_SIZE, runs::deleteOldItems, runs::deleteOld);
  }

  @Bean
  RecurringJob bulkRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }
}
