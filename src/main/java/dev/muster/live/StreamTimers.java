package dev.muster.live;

import dev.muster.identity.Caller;
import java.time.Duration;

/** Tracks the caller of one stream, and when its next ping and credential check are due. */
final class StreamTimers {

  private static final Duration RECHECK_INTERVAL = Duration.ofSeconds(1);

  private final StreamKind kind;
  private final Caller caller;
  private long pingAt;
  private long recheckAt;

  StreamTimers(StreamKind kind, Caller caller) {
    this.kind = kind;
    this.caller = caller;
    this.pingAt = System.nanoTime() + kind.pingInterval().toNanos();
    this.recheckAt = System.nanoTime() + RECHECK_INTERVAL.toNanos();
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

  boolean isRecheckDue() {
    boolean due = System.nanoTime() - recheckAt >= 0;
    recheckAt += due ? RECHECK_INTERVAL.toNanos() : 0;
    return due;
  }
}
