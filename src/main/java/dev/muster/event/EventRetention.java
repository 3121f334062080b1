package dev.muster.event;

import dev.muster.platform.jobs.RecurringJob;
import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes published events that are older than {@code EVENT_RETENTION_DAYS}, once a day; the
 * numbering goes on as if they were there.
 */
@Configuration(proxyBeanMethods = false)
class EventRetention {

  private static final Logger log = LoggerFactory.getLogger(EventRetention.class);

  static final int MOST_IN_A_BATCH = 1000;

  /** Looks only at the first of the queue, which is as good as sorted by age. */
  private static final String DELETE_OLDEST =
      """
      DELETE FROM events e USING (SELECT ordinal FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT :most) AS oldest
      WHERE e.ordinal = oldest.ordinal AND e.created_at < clock_timestamp() - make_interval(days => :days)
      """;

  private final JdbcClient db;
  private final int days;
  private final SweepMetrics metrics;

  EventRetention(JdbcClient db, Settings settings, MeterRegistry metrics) {
    this.db = db;
    this.days = settings.tuning("EVENT_RETENTION_DAYS", 30, Values::positiveInt);
    this.metrics = new SweepMetrics(metrics, "event-retention");
  }

  @Bean
  RecurringJob eventRetentionJob() {
    return new RecurringJob("event-retention", Duration.ofDays(1), this::run);
  }

  private void run() {
    int deleted = metrics.measure(this::sweep);
    metrics.countTransitions(deleted);
    if (deleted > 0) {
      log.info("{} events older than {} days are deleted", deleted, days);
    }
  }

  /** How many were deleted, each thousand in a transaction of its own. */
  int sweep() {
    int deleted = 0;
    int batch;
    do {
      batch = db.sql(DELETE_OLDEST).param("most", MOST_IN_A_BATCH).param("days", days).update();
      deleted += batch;
    } while (batch == MOST_IN_A_BATCH);
    return deleted;
  }
}
