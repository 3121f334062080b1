package dev.muster.heartbeat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep saw and did; {@code heldSince} is set when it took nobody although some were due,
 * {@code firstFailure} when batches failed, whose workspaces the next sweep tries again.
 */
record SweepReport(
    FleetCount fleet,
    int takenOffline,
    int batches,
    int failedBatches,
    @Nullable RuntimeException firstFailure,
    @Nullable Instant heldSince) {}
