package dev.muster.protocol.client;

import java.time.Duration;

/**
 * How fast a large answer has to come: so many bytes in every piece of time, and all of it in time.
 * The time for which it waits for memory is not the peer's.
 */
final class ResponseRate {

  private final long pieceNanos;
  private long pieceEndsAt;
  private long endsAt;
  private long cameInPiece;

  /** It begins now. */
  ResponseRate(Duration longestPiece, Duration longestAnswer) {
    long now = System.nanoTime();
    this.pieceNanos = longestPiece.toNanos();
    this.pieceEndsAt = now + pieceNanos;
    this.endsAt = now + longestAnswer.toNanos();
  }

  /** As {@link System#nanoTime}: what is not there by then comes too slowly. */
  long dueAt() {
    return pieceEndsAt - endsAt < 0 ? pieceEndsAt : endsAt;
  }

  boolean isOver() {
    return System.nanoTime() - dueAt() >= 0;
  }

  void came(int bytes) throws ResponseTooSlowException {
    if (isOver()) {
      throw new ResponseTooSlowException();
    }
    cameInPiece += bytes;
    if (cameInPiece >= ResponseMemoryBudget.FREE) {
      cameInPiece = 0;
      pieceEndsAt = System.nanoTime() + pieceNanos;
    }
  }

  void waited(long nanos) {
    pieceEndsAt += nanos;
    endsAt += nanos;
  }
}
