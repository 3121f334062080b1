package dev.muster.activity;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent answered to a person, as live events tell of it (R10.1): what agents answer each
 * other is in no chat. The response is as lists show it.
 */
record AnsweredMessage(
    ActivityKey key,
    Instant endedAt,
    @Nullable String method,
    @Nullable String messageId,
    @Nullable Long durationMs,
    @Nullable Object response,
    Instant foundAt) {

  LiveEvent event() {
    UUID workspaceId = key.workspaceId();
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("response_body", response);
    payload.put("method", method);
    payload.put("duration_ms", durationMs);
    payload.put("message_id", messageId);
    return new LiveEvent(Kind.A2A_RESPONSE, workspaceId, foundAt, payload);
  }
}
