package dev.muster.platform.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a cluster job stands: its last run, and when the next is due; nulls before the first. */
public record JobRun(
    String job,
    @Nullable String replica,
    @Nullable Instant startedAt,
    @Nullable Long durationMs,
    @Nullable String lastError,
    @Nullable Instant lastErrorAt,
    long runs,
    long failures,
    @Nullable Instant nextRunAt,
    boolean overdue) {}
