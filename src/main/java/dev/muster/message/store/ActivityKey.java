package dev.muster.message.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Identifies an activity row by its feed and its {@code seq}. */
public record ActivityKey(UUID workspaceId, long seq) {

  /** Reads the columns {@code workspace_id} and {@code seq}. */
  public static ActivityKey of(ResultSet row) throws SQLException {
    return new ActivityKey(row.getObject("workspace_id", UUID.class), row.getLong("seq"));
  }
}
