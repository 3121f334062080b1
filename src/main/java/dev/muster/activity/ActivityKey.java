package dev.muster.activity;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Names a row: whose feed, and its number there. */
public record ActivityKey(UUID workspaceId, long seq) {

  /** Of the columns {@code workspace_id} and {@code seq}. */
  public static ActivityKey of(ResultSet row) throws SQLException {
    return new ActivityKey(row.getObject("workspace_id", UUID.class), row.getLong("seq"));
  }
}
