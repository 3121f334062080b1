package dev.muster.runtime;

import java.time.Instant;
import java.util.UUID;

/** The end of a stream, locked; {@code now} is the database's time under the lock. */
record StreamHead(UUID workspaceId, long lastSeq, Instant lastCreatedAt, Instant now) {

  /** The time of what comes next: never before that of what came last. */
  Instant next() {
    return now.isAfter(lastCreatedAt) ? now : lastCreatedAt;
  }

  StreamHead movedTo(long seq) {
    return new StreamHead(workspaceId, seq, next(), now);
  }
}
