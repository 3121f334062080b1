package dev.muster.heartbeat;

import dev.muster.platform.jobs.JobHistory.JobRun;
import dev.muster.platform.loop.BackgroundLoops.LoopState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One background loop in the operators' view; {@code scope} is "cluster" or "replica". */
record LoopView(
    String name,
    String scope,
    Number intervalS,
    @Nullable Instant lastRunAt,
    @Nullable Long lastDurationMs,
    @Nullable String lastError,
    @Nullable Instant lastErrorAt,
    long runs,
    long failures,
    @Nullable String replica,
    @Nullable Instant nextRunAt,
    boolean overdue) {

  static LoopView of(JobRun run, Duration interval) {
    return new LoopView(
        run.job(),
        "cluster",
        seconds(interval),
        run.startedAt(),
        run.durationMs(),
        run.lastError(),
        run.lastErrorAt(),
        run.runs(),
        run.failures(),
        run.replica(),
        run.nextRunAt(),
        run.overdue());
  }

  static LoopView of(LoopState state, String replica) {
    @Nullable Duration took = state.lastDuration();
    return new LoopView(
        state.name(),
        "replica",
        seconds(state.interval()),
        state.lastRunAt(),
        took == null ? null : took.toMillis(),
        state.lastError(),
        state.lastErrorAt(),
        state.runs(),
        state.failures(),
        replica,
        null,
        state.overdue());
  }

  /** Returns an integer for whole seconds, otherwise a fraction. */
  private static Number seconds(Duration interval) {
    long millis = interval.toMillis();
    if (millis % 1000 == 0) {
      return millis / 1000;
    }
    return millis / 1000.0;
  }
}
