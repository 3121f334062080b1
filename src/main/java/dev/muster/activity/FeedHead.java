package dev.muster.activity;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The end of a feed, locked; {@code now} is the database's time under the lock. Each row, and each
 * end of a turn, moves it on: numbers without a gap, and times that never stand still or go back
 * (R6.4).
 */
record FeedHead(
    UUID workspaceId,
    long lastSeq,
    Instant lastCreatedAt,
    @Nullable Instant lastOwnAt,
    long lastTurnSeq,
    Instant lastTurnAt,
    long totalBytes,
    long quotaSeq,
    long quotaBytes,
    Instant now) {

  FeedHead after(ActivitySource source, long bytes) {
    Instant createdAt = next(lastCreatedAt);
    Instant ownAt = source == ActivitySource.SELF ? createdAt : lastOwnAt;
    return new FeedHead(
        workspaceId,
        lastSeq + 1,
        createdAt,
        ownAt,
        lastTurnSeq,
        lastTurnAt,
        totalBytes + bytes,
        quotaSeq,
        quotaBytes,
        now);
  }

  FeedHead afterTurn() {
    return new FeedHead(
        workspaceId,
        lastSeq,
        lastCreatedAt,
        lastOwnAt,
        lastTurnSeq + 1,
        next(lastTurnAt),
        totalBytes,
        quotaSeq,
        quotaBytes,
        now);
  }

  /** Unread rows are counted from here; {@code bytes} is the feed's total there. */
  FeedHead countedFrom(long seq, long bytes) {
    return new FeedHead(
        workspaceId,
        lastSeq,
        lastCreatedAt,
        lastOwnAt,
        lastTurnSeq,
        lastTurnAt,
        totalBytes,
        seq,
        bytes,
        now);
  }

  /** At most; fewer when some were read since the count was last begun anew. */
  long unreadRows() {
    return lastSeq - quotaSeq;
  }

  /** At most, as {@link #unreadRows}. */
  long unreadBytes() {
    return totalBytes - quotaBytes;
  }

  private Instant next(Instant last) {
    Instant least = last.plus(1, ChronoUnit.MICROS);
    return now.isAfter(least) ? now : least;
  }
}
