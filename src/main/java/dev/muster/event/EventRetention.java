package dev.muster.event;

import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes published events older than {@code EVENT_RETENTION_DAYS}, once a day.
 *
 * <p>Deletion does not change the numbering.
 */
@Configuration(proxyBeanMethods = false)
class EventRetention {

  static final int BATCH_SIZE = 1000;

  /** Examines only the rows with the lowest {@code seq}, which are close to the oldest. */
  private static final String DELETE_OLDEST =
      """
      DELETE FROM events e USING (SELECT ordinal FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT :most OFFSET :passed_over) AS oldest
      WHERE e.ordinal = oldest.ordinal AND e.created_at < statement_timestamp() - make_interval(days => :days)
          AND e.created_at < statement_timestamp() - interval '1 day'
      """;

  private final JdbcClient db;
  private final Duration age;
  private final DailyDeletion deletion;

  @ConfigurationProperties("muster.event")
  record Settings(Duration retention) {}

  EventRetention(JdbcClient db, Settings settings, MeterRegistry metrics) {
    this.db = db;
    this.age = settings.retention();
    this.deletion =
        new DailyDeletion(
            "event-retention",
            metrics,
            BATCH_SIZE,
            (most, passedOver) -> deleteBatch(age, most, passedOver));
  }

  @Bean
  RecurringJob eventRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  /** Deletes one batch; keeps every event younger than one day, whatever {@code age} is. */
  int deleteBatch(Duration age, int most, int passedOver) {
    return db.sql(DELETE_OLDEST)
        .param("most", most)
        .param("passed_over", passedOver)
        .param("days", Math.toIntExact(age.toDays()))
        .update();
  }
}
