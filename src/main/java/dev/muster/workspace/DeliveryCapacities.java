package dev.muster.workspace;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads how many messages workspaces can accept. */
@Repository
public class DeliveryCapacities {

  private static final String OF =
      """
      SELECT w.id, b.status, w.delivery_mode, w.url, w.max_concurrent_tasks, b.active_tasks
      FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.id = ANY (:ids)
      """;

  /**
   * Holds what a workspace can accept, by its last heartbeat; {@code url} is "" when it has none.
   */
  public record DeliveryCapacity(
      UUID workspaceId,
      WorkspaceStatus status,
      DeliveryMode deliveryMode,
      String url,
      int maxConcurrentTasks,
      int activeTasks) {

    public boolean isReachable() {
      boolean isHere = status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED;
      return isHere && (deliveryMode == DeliveryMode.POLL || DeliveryMode.isUsable(url));
    }

    /** Returns how many more messages it can accept; 0 while it is unreachable (R7.6). */
    public int freeSlots() {
      return isReachable() ? Math.max(0, maxConcurrentTasks - activeTasks) : 0;
    }
  }

  private final JdbcClient db;

  DeliveryCapacities(JdbcClient db) {
    this.db = db;
  }

  public Optional<DeliveryCapacity> of(UUID workspaceId) {
    return Optional.ofNullable(of(List.of(workspaceId)).get(workspaceId));
  }

  /** Returns capacities by workspace id, removed workspaces included; unknown ids are absent. */
  public Map<UUID, DeliveryCapacity> of(Collection<UUID> workspaceIds) {
    return db
        .sql(OF)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query(DeliveryCapacities::room)
        .list()
        .stream()
        .collect(Collectors.toMap(DeliveryCapacity::workspaceId, Function.identity()));
  }

  private static DeliveryCapacity room(ResultSet row, int n) throws SQLException {
    return new DeliveryCapacity(
        row.getObject("id", UUID.class),
        WorkspaceStatus.of(row.getString("status")),
        DeliveryMode.of(row.getString("delivery_mode")),
        row.getString("url"),
        row.getInt("max_concurrent_tasks"),
        row.getInt("active_tasks"));
  }
}
