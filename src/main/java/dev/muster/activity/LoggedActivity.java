package dev.muster.activity;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row as live events tell of it (R6.10, R6.5); {@code notification} is there for what an agent
 * said to its canvas.
 */
record LoggedActivity(
    UUID id,
    UUID workspaceId,
    long seq,
    String activityType,
    @Nullable String method,
    @Nullable String summary,
    String status,
    @Nullable UUID sourceId,
    @Nullable UUID targetId,
    @Nullable Long durationMs,
    @Nullable String errorDetail,
    Instant createdAt,
    @Nullable Said notification) {

  /** {@code files} is a JSON array of the attached files as they were given, if there are any. */
  record Said(String message, @Nullable RawJson files) {}

  LiveEvent logged() {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("id", id);
    payload.put("seq", seq);
    payload.put("activity_type", activityType);
    payload.put("method", method);
    payload.put("summary", summary);
    payload.put("status", status);
    payload.put("source_id", sourceId);
    payload.put("target_id", targetId);
    payload.put("duration_ms", durationMs);
    payload.put("error_detail", errorDetail);
    return new LiveEvent(Kind.ACTIVITY_LOGGED, workspaceId, createdAt, payload);
  }

  LiveEvent said(Said said, String workspaceName) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("message", said.message());
    payload.put("workspace_id", workspaceId);
    payload.put("name", workspaceName);
    if (said.files() != null) {
      payload.put("attachments", said.files());
    }
    return new LiveEvent(Kind.AGENT_MESSAGE, workspaceId, createdAt, payload);
  }
}
