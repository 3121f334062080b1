package dev.muster.console.fleet;

import dev.muster.workspace.DegradedReason;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace with values that no event reports. Its members have the names of docs/api.md, section
 * 2.
 *
 * @param queueDepth the number of its waiting messages; null, like the next three, when the caller
 *     may not see it
 * @param pausedBy the name of the token that paused it; null when it is not paused, or was paused
 *     by its own agent
 */
record FleetDetail(
    UUID id,
    String name,
    @Nullable String role,
    int tier,
    @Nullable UUID parentId,
    String runtime,
    String url,
    String deliveryMode,
    String status,
    @Nullable DegradedReason degradedReason,
    @Nullable String lastSampleError,
    @Nullable String hint,
    @Nullable Double lastErrorRate,
    int activeTasks,
    int maxConcurrentTasks,
    @Nullable String currentTask,
    long uptimeSeconds,
    boolean stalled,
    @Nullable Instant lastHeartbeatAt,
    Instant statusSince,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant removedAt,
    @Nullable Long queueDepth,
    @Nullable Long inFlightIn,
    @Nullable Long inFlightOut,
    @Nullable String pausedBy,
    @Nullable Instant restartRequestedAt) {}
