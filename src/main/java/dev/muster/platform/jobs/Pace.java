package dev.muster.platform.jobs;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The pace of large sweeps, which have the time: those who wait for answers have not. */
public final class Pace {

  private static final int REST_FOR_WORK = 2;
  private static final long LONGEST_REST_NANOS = Duration.ofMillis(500).toNanos();

  private Pace() {}

  /** Rests twice as long as the last batch took, so that the database is free most of the time. */
  public static void restAfter(long workedNanos) {
    LockSupport.parkNanos(Math.min(REST_FOR_WORK * workedNanos, LONGEST_REST_NANOS));
  }
}
