package dev.muster.platform.jobs;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The pace of large sweeps, which have the time: those who wait for answers have not. */
public final class SweepThrottle {

  private static final int PAUSE_PER_WORK = 2;
  private static final long MAX_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private SweepThrottle() {}

  /** Rests twice as long as the last batch took, so that the database is free most of the time. */
  public static void pauseAfter(long workedNanos) {
    LockSupport.parkNanos(Math.min(PAUSE_PER_WORK * workedNanos, MAX_PAUSE_NANOS));
  }
}
