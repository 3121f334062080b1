package dev.muster.message.feed;

import dev.muster.message.store.ActivitySettings;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.RecurringJob;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.platform.work.SweepThrottle;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Deletes old rows from the feeds (R6.8). Acknowledged rows go after {@code
 * ACTIVITY_RETENTION_DAYS}, all rows after {@code ACTIVITY_HARD_RETENTION_DAYS}. The oldest rows go
 * first, so the kept rows have no gaps.
 */
@Configuration(proxyBeanMethods = false)
class ActivityRetention {

  private static final Logger log = LoggerFactory.getLogger(ActivityRetention.class);

  private static final UUID FIRST_ID = new UUID(0, 0);

  private final RetentionRepository repository;
  private final Duration acked;
  private final Duration all;
  private final Duration interval;
  private final SweepMetrics metrics;
  private final FailingUnits failing;

  ActivityRetention(
      RetentionRepository repository, ActivitySettings settings, MeterRegistry metrics) {
    this.repository = repository;
    this.acked = settings.retention();
    this.all = settings.hardRetention();
    this.interval = settings.cleanupInterval();
    this.metrics = new SweepMetrics(metrics, "activity-retention");
    this.failing = new FailingUnits("activity-retention", metrics);
  }

  @Bean
  RecurringJob activityRetentionJob() {
    return new RecurringJob("activity-retention", interval, this::run, RecurringJob.Kind.RETENTION);
  }

  private void run() {
    try {
      int deleted = metrics.measure(this::sweep);
      if (deleted > 0) {
        log.info("deleted {} rows of feeds past their retention", deleted);
      }
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  /** Deletes all expired rows and returns how many it deleted. */
  int sweep() {
    Instant keptFrom = repository.timeAgo(all);
    Instant keptFromIfAcked = repository.timeAgo(acked);
    AtomicInteger deleted = new AtomicInteger();
    List<UUID> page = repository.feeds(FIRST_ID);
    while (!page.isEmpty()) {
      failing.runAll(
          page,
          id -> id,
          feeds -> deleted.addAndGet(deleteBefore(keptFrom, keptFromIfAcked, feeds)));
      page.stream().filter(failing::isDelayed).forEach(feed -> metrics.countError());
      page = repository.feeds(page.getLast());
    }
    return deleted.get();
  }

  private int deleteBefore(Instant keptFrom, Instant keptFromIfAcked, List<UUID> page) {
    Map<UUID, Long> deletedTo = new HashMap<>();
    page.forEach(feed -> deletedTo.put(feed, 0L));
    int deleted = 0;
    int batch;
    do {
      long start = System.nanoTime();
      batch = repository.deleteBefore(keptFrom, keptFromIfAcked, deletedTo);
      metrics.countTransitions(batch);
      deleted += batch;
      if (batch > 0) {
        SweepThrottle.pauseAfter(System.nanoTime() - start);
      }
    } while (batch == RetentionRepository.BATCH_SIZE);
    return deleted;
  }
}
