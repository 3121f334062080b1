package dev.muster.activity;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A turn that has ended, as live events tell of it; the response is as lists show it. {@code
 * isAnswered} is whether the agent answered a person: what agents answer each other is in no chat.
 */
record EndedTurn(
    UUID workspaceId,
    long turnSeq,
    boolean isAnswered,
    @Nullable String method,
    @Nullable String messageId,
    @Nullable Long durationMs,
    @Nullable Object response,
    Instant foundAt) {

  LiveEvent answered() {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("response_body", response);
    payload.put("method", method);
    payload.put("duration_ms", durationMs);
    payload.put("message_id", messageId);
    return new LiveEvent(Kind.A2A_RESPONSE, workspaceId, foundAt, payload);
  }
}
