package dev.muster.platform.work;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired rows once a night, in batches until a batch deletes nothing.
 *
 * <p>A row that cannot be deleted is passed over until the next run. Its runs are measured as a
 * sweep.
 */
public final class DailyDeletion {

  /** Deletes expired rows of one table. */
  @FunctionalInterface
  public interface Deletion {

    /**
     * Deletes a batch in one transaction and returns how many rows it deleted.
     *
     * @param most the number of rows
     * @param passedOver how many rows to leave out, the first in an order that does not change
     */
    int delete(int most, int passedOver);
  }

  private static final Logger log = LoggerFactory.getLogger(DailyDeletion.class);

  /** With more rows that cannot be deleted, something is wrong with the whole table. */
  private static final int MAX_PASSED_OVER = 100;

  private final String name;
  private final int batchSize;
  private final List<Deletion> deletions;
  private final SweepMetrics metrics;
  private final FailingUnits failing;

  /** Takes one deletion for each table. */
  public DailyDeletion(String name, MeterRegistry metrics, int batchSize, Deletion... deletions) {
    this.name = name;
    this.batchSize = batchSize;
    this.deletions = List.of(deletions);
    this.metrics = new SweepMetrics(metrics, name);
    this.failing = new FailingUnits(name, metrics);
  }

  public RecurringJob job() {
    return new RecurringJob(
        name, Duration.ofDays(1), this::run, RecurringJob.Kind.NIGHTLY_RETENTION);
  }

  /** Deletes all expired rows and returns how many. */
  public int sweep() {
    try {
      return deletions.stream().mapToInt(this::deleteAll).sum();
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  private int deleteAll(Deletion deletion) {
    int deleted = 0;
    int passedOver = 0;
    int most = batchSize;
    int batch = 1;
    while (batch > 0) {
      long start = System.nanoTime();
      try {
        batch = deletion.delete(most, passedOver);
        metrics.countTransitions(batch);
        deleted += batch;
        most = Math.min(2 * most, batchSize);
      } catch (RuntimeException e) {
        if (FailingUnits.isOutage(e) || passedOver == MAX_PASSED_OVER) {
          throw e;
        }
        if (most == 1) {
          metrics.countError();
          failing.passedOver("the expired row after " + passedOver + " others", e);
          passedOver++;
        } else {
          most = most / 2;
        }
      }
      SweepThrottle.pauseAfter(System.nanoTime() - start);
    }
    return deleted;
  }

  private void run() {
    int deleted = metrics.measure(this::sweep);
    if (deleted > 0) {
      log.info("{} deleted {} rows past their retention", name, deleted);
    }
  }
}
