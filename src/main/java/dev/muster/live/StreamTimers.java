package dev.muster.live;

import dev.muster.identity.Caller;
import java.time.Duration;

/** Tracks the caller of one stream, and when its next ping and credential check are due. */
final class StreamTimers {

  private static final Duration STANDING_INTERVAL = Duration.ofSeconds(1);

  private final StreamKind kind;
  private final Caller caller;
  private long pingAt;
  private long standingAt;

  StreamTimers(StreamKind kind, Caller caller) {
    this.kind = kind;
    this.caller = caller;
    this.pingAt = System.nanoTime() + kind.pingInterval().toNanos();
    this.standingAt = System.nanoTime() + STANDING_INTERVAL.toNanos();
  }

  StreamKind kind() {
    return kind;
  }

  Caller caller() {
    return caller;
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
