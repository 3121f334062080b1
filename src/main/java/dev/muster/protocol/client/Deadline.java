package dev.muster.protocol.client;

import java.time.Duration;

/** A point of the monotonic clock at which a send stops waiting. */
public final class Deadline {

  private static final Duration MAX_DURATION = Duration.ofDays(365);

  private final long atNanos;

  private Deadline(long atNanos) {
    this.atNanos = atNanos;
  }

  /** Creates a deadline after {@code duration}: at most 365 days, at once if negative. */
  public static Deadline in(Duration duration) {
    Duration shorter = duration.compareTo(MAX_DURATION) < 0 ? duration : MAX_DURATION;
    return new Deadline(System.nanoTime() + (shorter.isNegative() ? 0 : shorter.toNanos()));
  }

  /** Returns the remaining time; zero after the deadline. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, atNanos - System.nanoTime()));
  }

  public boolean isOver() {
    return atNanos - System.nanoTime() <= 0;
  }

  /** Returns the shorter of {@code own} and the remaining time. */
  Duration capping(Duration own) {
    Duration left = left();
    return own.compareTo(left) < 0 ? own : left;
  }
}
