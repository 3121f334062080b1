package dev.muster.platform.jobs;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired rows once a night, in batches until a batch deletes nothing.
 *
 * <p>Its runs are measured as a sweep.
 */
public final class DailyDeletion {

  private static final Logger log = LoggerFactory.getLogger(DailyDeletion.class);

  private final String name;
  private final IntSupplier deleteBatch;
  private final SweepMetrics metrics;

  /** Takes {@code deleteBatch}, which runs one transaction and returns how many rows it deleted. */
  public DailyDeletion(String name, IntSupplier deleteBatch, MeterRegistry metrics) {
    this.name = name;
    this.deleteBatch = deleteBatch;
    this.metrics = new SweepMetrics(metrics, name);
  }

  public RecurringJob job() {
    return new RecurringJob(
        name, Duration.ofDays(1), this::run, RecurringJob.Kind.NIGHTLY_RETENTION);
  }

  /** Deletes all expired rows and returns how many. */
  public int sweep() {
    try {
      int deleted = 0;
      int batch;
      do {
        long start = System.nanoTime();
        batch = deleteBatch.getAsInt();
        metrics.countTransitions(batch);
        deleted += batch;
        SweepThrottle.pauseAfter(System.nanoTime() - start);
      } while (batch > 0);
      return deleted;
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  private void run() {
    int deleted = metrics.measure(this::sweep);
    if (deleted > 0) {
      log.info("{} deleted {} rows past their retention", name, deleted);
    }
  }
}
