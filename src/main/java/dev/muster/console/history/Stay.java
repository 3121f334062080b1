package dev.muster.console.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * For how long a workspace had a status.
 *
 * @param seq the number of the event that began it; 0 where that event was not kept
 * @param until null while it lasts
 */
record Stay(
    UUID workspaceId,
    long seq,
    Instant since,
    @Nullable Instant until,
    String status,
    @Nullable String reason,
    @Nullable String error) {

  Stay endedAt(Instant end) {
    return new Stay(workspaceId, seq, since, end, status, reason, error);
  }
}
