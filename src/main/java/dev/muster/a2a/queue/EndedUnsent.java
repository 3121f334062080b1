package dev.muster.a2a.queue;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A queued message that ended, expired or dropped, without a delivery of its own. */
public record EndedUnsent(
    UUID queueId,
    UUID activityId,
    UUID targetId,
    @Nullable UUID senderId,
    QueueKind kind,
    EndState state,
    String error) {}
