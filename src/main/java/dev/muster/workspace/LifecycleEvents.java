package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds lifecycle events (R4.6). An event has its own fields, then the new status, the previous
 * one, since when it is the new one, and its reason.
 */
public final class LifecycleEvents {

  private LifecycleEvents() {}

  public static NewEvent of(
      EventType type,
      UUID workspaceId,
      @Nullable WorkspaceStatus previous,
      WorkspaceStatus status,
      Instant since,
      @Nullable DegradedReason reason,
      Map<String, ? extends @Nullable Object> fields) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>(fields);
    payload.put("status", status);
    payload.put("previous_status", previous);
    payload.put("status_since", since);
    payload.put("degraded_reason", reason);
    return new NewEvent(type, workspaceId, payload);
  }
}
