package dev.muster.platform.loop;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a loop remembers of its runs; nulls before the first run, or the first failure. */
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
