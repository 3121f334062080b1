package dev.muster.message.feed;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Holds an activity row for live events (R6.10, R6.5).
 *
 * @param chatText the chat text; null unless the row is a notification or a canvas message
 */
record ActivityLoggedRow(
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
    @Nullable String messageId,
    @Nullable String delegationId,
    @Nullable RawJson requestBody,
    @Nullable RawJson responseBody,
    @Nullable ChatText chatText) {

  /** Largest body of an event, in bytes. Clients read a larger one from the feed. */
  static final int MAX_BODY_BYTES = 8 * 1024;

  /** The chat text of a row. */
  sealed interface ChatText {}

  /**
   * A notification by the agent.
   *
   * @param files the attachments as the agent sent them
   * @param answered id of the message that the notification answers; null if it names none
   */
  record ByAgent(String message, List<JsonNode> files, @Nullable String answered)
      implements ChatText {}

  record ByUser(String content, @Nullable String messageId) implements ChatText {}

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
    payload.put("message_id", messageId);
    payload.put("delegation_id", delegationId);
    payload.put("created_at", createdAt);
    if (requestBody != null) {
      payload.put("request_body", requestBody);
    }
    if (responseBody != null) {
      payload.put("response_body", responseBody);
    }
    return new LiveEvent(Kind.ACTIVITY_LOGGED, workspaceId, createdAt, payload);
  }

  /**
   * Builds the chat event.
   *
   * @param workspaceName name of the agent's workspace; used only for {@link ByAgent}
   */
  LiveEvent toEvent(ChatText chatText, String workspaceName) {
    return switch (chatText) {
      case ByAgent agent -> toEvent(agent, workspaceName);
      case ByUser user -> toEvent(user);
    };
  }

  private LiveEvent toEvent(ByUser chatText) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("message_id", chatText.messageId());
    payload.put("content", chatText.content());
    payload.put("workspace_id", workspaceId);
    return new LiveEvent(Kind.USER_MESSAGE, workspaceId, createdAt, payload);
  }

  private LiveEvent toEvent(ByAgent chatText, String workspaceName) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("message", chatText.message());
    payload.put("workspace_id", workspaceId);
    payload.put("name", workspaceName);
    if (!chatText.files().isEmpty()) {
      payload.put("attachments", chatText.files());
    }
    if (chatText.answered() != null) {
      payload.put("message_id", chatText.answered());
    }
    return new LiveEvent(Kind.AGENT_MESSAGE, workspaceId, createdAt, payload);
  }
}
