package dev.muster.console.fleet;

import dev.muster.workspace.DegradedReason;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace with what no event tells, named as in docs/api.md, section 2; without its card and
 * its place on the canvas.
 *
 * @param queueDepth its waiting messages; null, as the next three, for what an agent may not see
 * @param pausedBy whose token paused it; null when it is not paused, or its own agent did
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
