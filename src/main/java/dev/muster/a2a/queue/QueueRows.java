package dev.muster.a2a.queue;

import dev.muster.platform.postgres.SqlTime;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;

/** Reads rows of the queue. */
final class QueueRows {

  private QueueRows() {}

  static QueuedMessage message(ResultSet row, int n) throws SQLException {
    return new QueuedMessage(
        row.getObject("queue_id", UUID.class),
        row.getObject("activity_id", UUID.class),
        row.getObject("target_id", UUID.class),
        row.getObject("sender_id", UUID.class),
        row.getInt("priority"),
        QueueKind.of(row.getString("kind")),
        QueueState.of(row.getString("state")),
        row.getInt("attempts"),
        SqlTime.instant(row, "enqueued_at"),
        SqlTime.instant(row, "next_attempt_at"),
        SqlTime.instant(row, "expires_at"),
        row.getString("lease_owner"),
        SqlTime.instantOrNull(row, "lease_until"),
        SqlTime.instantOrNull(row, "ended_at"),
        row.getString("error"));
  }

  static EndedUnsent endedUnsent(ResultSet row, EndState state) throws SQLException {
    return new EndedUnsent(
        row.getObject("queue_id", UUID.class),
        row.getObject("activity_id", UUID.class),
        row.getObject("target_id", UUID.class),
        row.getObject("sender_id", UUID.class),
        QueueKind.of(row.getString("kind")),
        state,
        Objects.requireNonNullElse(row.getString("error"), ""));
  }
}
