package dev.muster.platform.jobs;

import java.time.Duration;

/**
 * Work that one replica of all does every so often: a module declares it as a bean.
 *
 * <p>The first run is at the first boot, the next one an interval after the last has ended; another
 * interval counts from the next start on. A replica that dies during a run is replaced within 30 s,
 * and one that was only suspended may then run beside its successor: a body takes care of its rows.
 * What a run throws is counted, shown by {@code GET /admin/liveness}, and never ends the job.
 */
public record RecurringJob(String name, Duration interval, Runnable body, Kind kind) {

  /** Which threads run it, and when. */
  public enum Kind {
    /** Short work that others wait for. */
    SWEEP,
    /** A deletion by age: however long it takes, it holds up no sweep. */
    RETENTION,
    /**
     * A deletion by age that runs once a night, each at another time; for the first time in the
     * night after the first boot.
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
