package dev.muster.console.history;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A period in which a workspace had one status.
 *
 * @param seq the number of the event that began it; 0 if that event was deleted before it was read
 * @param until null for the present status
 * @param previous the status of the last period before that has a length; null if there is none
 */
record StatusPeriod(
    UUID workspaceId,
    long seq,
    Instant since,
    @Nullable Instant until,
    @Nullable String previous,
    String status,
    @Nullable String reason,
    @Nullable String error) {

  StatusPeriod endedAt(Instant end) {
    return new StatusPeriod(workspaceId, seq, since, end, previous, status, reason, error);
  }

  /** Returns the {@code previous} of the next period, which begins when this one ends. */
  @Nullable String previousOfNext(Instant end) {
    return since.equals(end) ? previous : status;
  }

  static StatusPeriod read(ResultSet row, int n) throws SQLException {
    return new StatusPeriod(
        row.getObject("workspace_id", UUID.class),
        row.getLong("seq"),
        Timestamps.instant(row, "since"),
        Timestamps.instantOrNull(row, "until"),
        row.getString("previous"),
        row.getString("status"),
        row.getString("degraded_reason"),
        row.getString("error"));
  }
}
