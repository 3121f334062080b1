package dev.muster.platform.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Describes a cluster job's last run and its next start; nulls before the first run. */
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
