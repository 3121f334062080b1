package dev.muster.a2a.queue;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A queued message as its sender reads it; {@code queueDepth} is its place in the line, while it
 * waits, and {@code answer} the agent's, once there is one.
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

  static QueueView of(QueuedMessage row, @Nullable Integer place, @Nullable RawJson answer) {
    return new QueueView(
        row.queueId(),
        row.targetId(),
        row.senderId(),
        row.state(),
        row.priority(),
        row.attempts(),
        place,
        row.enqueuedAt(),
        row.state().isEnd() ? null : row.nextAttemptAt(),
        row.expiresAt(),
        row.endedAt(),
        row.error(),
        row.activityId(),
        answer);
  }
}
