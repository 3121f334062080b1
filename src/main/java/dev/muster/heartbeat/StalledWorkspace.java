package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.workspace.LifecycleEvents;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** A busy workspace that writes nothing, as read under its row lock. */
record StalledWorkspace(
    UUID workspaceId,
    WorkspaceStatus status,
    int activeTasks,
    String currentTask,
    Instant busySince,
    Instant silentSince) {

  /** Builds the event, whose old and new status are equal. */
  NewEvent event(Instant now) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("active_tasks", activeTasks);
    fields.put("current_task", currentTask);
    fields.put("busy_since", busySince);
    fields.put("silent_for_s", Duration.between(silentSince, now).toSeconds());
    return LifecycleEvents.of(EventType.WORKSPACE_STALLED, workspaceId, status, status, fields);
  }
}
