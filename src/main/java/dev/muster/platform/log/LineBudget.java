package dev.muster.platform.log;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits the log lines of one kind to 50 within 10 s.
 *
 * <p>The limit allows a line each for a few subjects; thousands at once would hide all other lines.
 * Thread-safe.
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

  /**
   * Returns how many of {@code wanted} lines to write.
   *
   * <p>It grants at most 50 in a window of 10 s, so the result may be 0.
   */
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
