package dev.muster.live;

import java.time.Duration;

/** When one stream is due for a ping and for another look at its credential. */
final class Schedule {

  private static final Duration STANDING_INTERVAL = Duration.ofSeconds(1);

  private final StreamKind kind;
  private long pingAt;
  private long standingAt;

  Schedule(StreamKind kind) {
    this.kind = kind;
    this.pingAt = System.nanoTime() + kind.pingInterval().toNanos();
    this.standingAt = System.nanoTime() + STANDING_INTERVAL.toNanos();
  }

  StreamKind kind() {
    return kind;
  }

  boolean isPingDue() {
    boolean due = System.nanoTime() - pingAt >= 0;
    pingAt += due ? kind.pingInterval().toNanos() : 0;
    return due;
  }

  boolean isStandingDue() {
    boolean due = System.nanoTime() - standingAt >= 0;
    standingAt += due ? STANDING_INTERVAL.toNanos() : 0;
    return due;
  }
}
