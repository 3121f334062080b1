package dev.muster.platform.work;

import java.time.Duration;

/**
 * Declares periodic work that one replica at a time runs; modules provide it as a bean.
 *
 * <p>The first run is at the first boot, the next one an interval after the last has ended. A
 * changed interval counts from the next server start.
 *
 * <p>A replica that dies during a run is replaced within 30 s. A replica that was only suspended
 * may then run the job at the same time as its successor, so the body must guard its rows.
 *
 * <p>Exceptions of a run are counted and shown by {@code GET /admin/liveness}. They never end the
 * job.
 */
public record RecurringJob(String name, Duration interval, Runnable body, Kind kind) {

  /** Selects the threads and the schedule of a job. */
  public enum Kind {
    /** Short, urgent work. */
    SWEEP,
    /** A deletion by age; it may take long, as it never delays a sweep. */
    RETENTION,
    /**
     * A deletion by age that runs once a night, each job at another time.
     *
     * <p>The first run is in the night after the first boot.
     */
    NIGHTLY_RETENTION
  }

  public RecurringJob {
    if (interval.isZero() || interval.isNegative()) {
      throw new IllegalArgumentException("interval: " + interval + " (expected: more than zero)");
    }
  }

  public RecurringJob(String name, Duration interval, Runnable body) {
    this(name, interval, body, Kind.SWEEP);
  }
}
