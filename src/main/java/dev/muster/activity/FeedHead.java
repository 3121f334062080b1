package dev.muster.activity;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The end of a feed, locked; {@code now} is the database's time under the lock. Each row moves it
 * on: numbers without a gap, and times that never stand still or go back (R6.4).
 */
record FeedHead(
    UUID workspaceId,
    long lastSeq,
    Instant lastCreatedAt,
    @Nullable Instant lastOwnAt,
    Instant now) {

  FeedHead after(ActivitySource source) {
    Instant least = lastCreatedAt.plus(1, ChronoUnit.MICROS);
    Instant createdAt = now.isAfter(least) ? now : least;
    Instant ownAt = source == ActivitySource.SELF ? createdAt : lastOwnAt;
    return new FeedHead(workspaceId, lastSeq + 1, createdAt, ownAt, now);
  }
}
