package dev.muster.runtime;

import java.time.Instant;
import java.util.UUID;

/** The locked head of a stream; {@code now} is the database's time under the lock. */
record StreamHead(UUID workspaceId, long lastSeq, Instant lastCreatedAt, Instant now) {

  /** Returns the time of the next event, never earlier than that of the last one. */
  Instant next() {
    return now.isAfter(lastCreatedAt) ? now : lastCreatedAt;
  }

  StreamHead movedTo(long seq) {
    return new StreamHead(workspaceId, seq, next(), now);
  }
}
