package dev.muster.heartbeat;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The work that a workspace's last heartbeat reported. */
record HeartbeatSnapshot(
    UUID workspaceId,
    Instant lastHeartbeatAt,
    int activeTasks,
    long uptimeSeconds,
    String currentTask) {

  /** Returns the payload of {@code WORKSPACE_HEARTBEAT}. */
  Map<String, ?> heartbeat() {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("active_tasks", activeTasks);
    payload.put("uptime_seconds", uptimeSeconds);
    return payload;
  }

  /** Returns the payload of {@code TASK_UPDATED}. */
  Map<String, ?> task() {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("current_task", currentTask);
    payload.put("active_tasks", activeTasks);
    return payload;
  }
}
