package dev.muster.platform.work;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Spaces the scans of a loop: one per interval, and fewer when a scan is slow. So scans take at
 * most a twentieth of the time.
 *
 * <p>One thread runs the scans; any thread may call {@link #makeDue}.
 */
public final class AdaptiveInterval {

  /** The least time from one scan to the next, in multiples of the duration of the scan. */
  private static final int IDLE_SHARE = 20;

  private final long minNanos;
  private final LongSupplier nanos;
  private volatile long dueAt;

  /** Creates an interval whose first scan is due at once. */
  public AdaptiveInterval(Duration min) {
    this(min, System::nanoTime);
  }

  AdaptiveInterval(Duration min, LongSupplier nanos) {
    this.minNanos = min.toNanos();
    this.nanos = nanos;
    this.dueAt = nanos.getAsLong();
  }

  /** Runs the scan if it is due. A scan that fails stays due. */
  public void runIfDue(Runnable scan) {
    long start = nanos.getAsLong();
    if (start - dueAt < 0) {
      return;
    }
    scan.run();
    dueAt = start + Math.max(minNanos, IDLE_SHARE * (nanos.getAsLong() - start));
  }

  /** Makes the next scan due now. */
  public void makeDue() {
    dueAt = nanos.getAsLong();
  }
}
