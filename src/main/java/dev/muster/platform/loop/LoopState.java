package dev.muster.platform.loop;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Describes the runs of a loop; nulls before the first run or the first failure. */
public record LoopState(
    String name,
    Duration interval,
    @Nullable Instant lastRunAt,
    @Nullable Duration lastDuration,
    @Nullable String lastError,
    @Nullable Instant lastErrorAt,
    long runs,
    long failures,
    boolean overdue) {}
