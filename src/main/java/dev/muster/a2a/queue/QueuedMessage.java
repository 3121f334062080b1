package dev.muster.a2a.queue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the queue.
 *
 * @param senderId null for the human at the canvas
 * @param attempts how often it was tried, the attempt under way included
 * @param nextAttemptAt not tried before, after a failed attempt
 * @param leaseOwner who delivers it right now, until {@code leaseUntil}
 * @param error of the last failed attempt, or of the end
 */
public record QueuedMessage(
    UUID queueId,
    UUID activityId,
    UUID targetId,
    @Nullable UUID senderId,
    int priority,
    QueueKind kind,
    QueueState state,
    int attempts,
    Instant enqueuedAt,
    Instant nextAttemptAt,
    Instant expiresAt,
    @Nullable String leaseOwner,
    @Nullable Instant leaseUntil,
    @Nullable Instant endedAt,
    @Nullable String error) {}
