package dev.muster.platform.log;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many lines of one kind may be written: enough to name each of a handful, too few for
 * thousands at once to bury all else. Safe from any thread.
 */
public final class LineBudget {

  private static final int MAX_LINES = 50;
  private static final long WINDOW_NANOS = Duration.ofSeconds(10).toNanos();

  private final LongSupplier nanoTime;
  private long windowBegan;
  private int written;

  public LineBudget(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.windowBegan = nanoTime.getAsLong();
  }

  /** How many of {@code wanted} lines to write: 50 within 10 s, then none until these are over. */
  public synchronized int grant(int wanted) {
    long now = nanoTime.getAsLong();
    if (now - windowBegan >= WINDOW_NANOS) {
      windowBegan = now;
      written = 0;
    }
    int granted = Math.min(wanted, MAX_LINES - written);
    written += granted;
    return granted;
  }
}
