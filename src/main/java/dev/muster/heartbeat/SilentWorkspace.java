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

/** A workspace that goes offline, as read under its row lock. */
record SilentWorkspace(UUID workspaceId, WorkspaceStatus status, Instant lastHeartbeatAt) {

  NewEvent offlineEvent(Instant now) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("last_heartbeat_at", lastHeartbeatAt);
    fields.put("silent_for_s", Duration.between(lastHeartbeatAt, now).toSeconds());
    return LifecycleEvents.of(
        EventType.WORKSPACE_OFFLINE, workspaceId, status, WorkspaceStatus.OFFLINE, fields);
  }
}
