package dev.muster.console.fleet;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a workspace is called, and what is above it; absent texts are null. */
public record FleetWorkspace(
    UUID id,
    @Nullable UUID parentId,
    String name,
    @Nullable String role,
    String runtime,
    int tier,
    boolean isPush) {

  /** Selects what {@link #read} reads; conditions and an order can follow. */
  public static final String SELECT =
      """
      SELECT id, parent_id, name, role, runtime, tier, delivery_mode = 'push' FROM api_workspace_fleet
      """;

  public static FleetWorkspace read(ResultSet row) throws SQLException {
    return new FleetWorkspace(
        row.getObject(1, UUID.class),
        row.getObject(2, UUID.class),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        row.getBoolean(7));
  }
}
