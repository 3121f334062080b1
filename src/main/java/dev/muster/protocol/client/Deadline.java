package dev.muster.protocol.client;

import java.time.Duration;

/** A moment of the monotonic clock after which nothing is waited for any more. */
public final class Deadline {

  private static final Duration MAX_DURATION = Duration.ofDays(365);

  private final long atNanos;

  private Deadline(long atNanos) {
    this.atNanos = atNanos;
  }

  /** So far from now; a year at most, and at once for less than nothing. */
  public static Deadline in(Duration duration) {
    Duration shorter = duration.compareTo(MAX_DURATION) < 0 ? duration : MAX_DURATION;
    return new Deadline(System.nanoTime() + (shorter.isNegative() ? 0 : shorter.toNanos()));
  }

  /** Zero when it is over. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, atNanos - System.nanoTime()));
  }

  public boolean isOver() {
    return atNanos - System.nanoTime() <= 0;
  }

  /** The shorter of this time and what is left. */
  Duration capping(Duration own) {
    Duration left = left();
    return own.compareTo(left) < 0 ? own : left;
  }
}
