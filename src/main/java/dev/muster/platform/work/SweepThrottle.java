package dev.muster.platform.work;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Slows down large sweeps, so that requests do not wait for the database. */
public final class SweepThrottle {

  private static final int PAUSE_PER_WORK = 2;
  private static final long MAX_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private SweepThrottle() {}

  /**
   * Sleeps twice as long as the last batch took, at most 500 ms.
   *
   * <p>The database is thus free of the sweep most of the time.
   */
  public static void pauseAfter(long workedNanos) {
    LockSupport.parkNanos(Math.min(PAUSE_PER_WORK * workedNanos, MAX_PAUSE_NANOS));
  }
}
