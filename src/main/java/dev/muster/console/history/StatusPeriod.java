package dev.muster.console.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A period in which a workspace had one status.
 *
 * @param seq the number of the event that began it; 0 if that event was deleted before it was read
 * @param until null for the present status
 */
record StatusPeriod(
    UUID workspaceId,
    long seq,
    Instant since,
    @Nullable Instant until,
    String status,
    @Nullable String reason,
    @Nullable String error) {

  StatusPeriod endedAt(Instant end) {
    return new StatusPeriod(workspaceId, seq, since, end, status, reason, error);
  }
}
