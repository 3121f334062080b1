package dev.muster.delivery;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A queued message as its sender reads it.
 *
 * @param queueDepth its position in the queue, from 1; null unless it waits, and in the admin API
 * @param answer the response of the agent; null before the end, and in the admin API
 */
record QueueView(
    UUID queueId,
    UUID workspaceId,
    @Nullable UUID sourceId,
    QueueState state,
    int priority,
    int attempts,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer queueDepth,
    Instant enqueuedAt,
    @Nullable Instant nextAttemptAt,
    Instant expiresAt,
    @Nullable Instant endedAt,
    @Nullable String error,
    UUID activityId,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RawJson answer) {

  static QueueView of(QueuedMessage message, @Nullable Integer place, @Nullable RawJson answer) {
    return new QueueView(
        message.id(),
        message.targetId(),
        message.senderId(),
        message.state(),
        message.priority(),
        message.attempts(),
        place,
        message.enqueuedAt(),
        message.state().isEnd() ? null : message.nextAttemptAt(),
        message.expiresAt(),
        message.endedAt(),
        message.error(),
        message.id(),
        answer);
  }
}
