package dev.muster.activity;

import dev.muster.activity.AppendResult.NotFree;
import dev.muster.activity.AppendResult.OtherContent;
import dev.muster.activity.AppendResult.Outdated;
import dev.muster.activity.AppendResult.QueueFull;
import dev.muster.activity.AppendResult.Repeated;
import dev.muster.activity.AppendResult.Stored;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** The result of {@link AppendStatement} for one row. */
sealed interface AppendDecision {

  record Final(AppendResult appended) implements AppendDecision {}

  /** Another transaction holds the feed head, or has changed it since the statement began. */
  record Busy() implements AppendDecision {}

  /** The feed seems full; the caller must count its unread rows again. */
  record SeemsFull() implements AppendDecision {}

  /** Reads one row of the statement's result. */
  static AppendDecision of(UUID workspaceId, ResultSet row) throws SQLException {
    String verdict = row.getString("verdict");
    return switch (verdict) {
      case "stored" ->
          new Final(
              new Stored(
                  id(workspaceId, row),
                  row.getLong("seq"),
                  row.getInt("depth"),
                  row.getObject("idle_timeout_seconds", Integer.class)));
      case "repeated" -> new Final(new Repeated(id(workspaceId, row), row.getLong("seq")));
      case "other content" -> new Final(new OtherContent());
      case "outdated" -> new Final(new Outdated());
      case "not free" -> new Final(new NotFree());
      case "queue full" -> new Final(new QueueFull());
      case "seems full" -> new SeemsFull();
      case "busy" -> new Busy();
      default -> throw new IllegalStateException(verdict + " is no verdict of the statement");
    };
  }

  private static UUID id(UUID workspaceId, ResultSet row) throws SQLException {
    return RowId.of(workspaceId, row.getLong("seq"), Timestamps.instant(row, "created_at"));
  }
}
