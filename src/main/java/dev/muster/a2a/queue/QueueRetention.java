package dev.muster.a2a.queue;

import dev.muster.platform.jobs.DailyDeletion;
import dev.muster.platform.jobs.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Deletes rows of the queue 7 days after they ended (R6.11). */
@Configuration(proxyBeanMethods = false)
class QueueRetention {

  static final int MOST_IN_A_BATCH = 1000;

  private static final String DELETE_ENDED =
      """
      DELETE FROM a2a_queue WHERE queue_id IN (
          SELECT queue_id FROM a2a_queue WHERE ended_at < statement_timestamp() - interval '7 days'
          ORDER BY ended_at LIMIT :most)
      """;

  private final JdbcClient db;
  private final DailyDeletion deletion;

  QueueRetention(JdbcClient db, MeterRegistry metrics) {
    this.db = db;
    this.deletion = new DailyDeletion("queue-retention", this::deleteBatch, metrics);
  }

  @Bean
  RecurringJob queueRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  int deleteBatch() {
    return db.sql(DELETE_ENDED).param("most", MOST_IN_A_BATCH).update();
  }
}
