package dev.muster.protocol.client;

import java.io.IOException;
import java.time.Duration;

/**
 * Checks the minimum rate of a large response: per interval and in total.
 *
 * <p>Time spent waiting for memory does not count.
 */
final class ResponseRate {

  /** Thrown when a response that holds counted memory is below the required rate. */
  static final class ResponseTooSlowException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final long pieceNanos;
  private long pieceEndsAt;
  private long endsAt;
  private long cameInPiece;

  /** Starts the check now. */
  ResponseRate(Duration longestPiece, Duration longestAnswer) {
    long now = System.nanoTime();
    this.pieceNanos = longestPiece.toNanos();
    this.pieceEndsAt = now + pieceNanos;
    this.endsAt = now + longestAnswer.toNanos();
  }

  /** Returns the time, as of {@link System#nanoTime}, by which the next data is due. */
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
