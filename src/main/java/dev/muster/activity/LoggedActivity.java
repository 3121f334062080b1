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
 * A row as live events tell of it (R6.10, R6.5); {@code said} is there for what an agent said to
 * its canvas, and for what was said to it there.
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
    @Nullable Said said) {

  /** What was said at the canvas. */
  sealed interface Said {}

  /** {@code files} is a JSON array of the attached files as they were given, if there are any. */
  record ByAgent(String message, @Nullable RawJson files) implements Said {}

  record ByUser(String content, @Nullable String messageId) implements Said {}

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

  /** Of what was said, {@code workspaceName} is the agent's. */
  LiveEvent told(Said said, String workspaceName) {
    return switch (said) {
      case ByAgent agent -> told(agent, workspaceName);
      case ByUser user -> told(user);
    };
  }

  private LiveEvent told(ByUser said) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("message_id", said.messageId());
    payload.put("content", said.content());
    payload.put("workspace_id", workspaceId);
    return new LiveEvent(Kind.USER_MESSAGE, workspaceId, createdAt, payload);
  }

  private LiveEvent told(ByAgent said, String workspaceName) {
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
