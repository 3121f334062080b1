package dev.muster.heartbeat;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.BackgroundLoops.LoopState;
import dev.muster.platform.work.JobHistory;
import dev.muster.platform.work.JobHistory.JobRun;
import dev.muster.platform.work.RecurringJob;
import dev.muster.platform.work.ReplicaName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the state of all background jobs to operators (docs/api.md, section 11). */
@RestController
class LivenessController {

  /** The response of {@code GET /admin/liveness}. */
  record LivenessView(
      List<LoopView> loops, ControlPlane controlPlane, SelfPreservation selfPreservation) {

    record ControlPlane(Instant upSince, Instant aliveUntil) {

      static ControlPlane of(Uptime uptime) {
        return new ControlPlane(uptime.upSince(), uptime.aliveUntil());
      }
    }

    /** Whether the mass-offline guard currently suspends offline transitions (R5.3). */
    record SelfPreservation(boolean suspended, @Nullable Instant since, @Nullable Instant until) {

      static SelfPreservation of(Uptime uptime, LivenessSettings settings) {
        @Nullable Instant since = uptime.holdSince();
        @Nullable Instant until = since == null ? null : since.plus(settings.massOffline().hold());
        return new SelfPreservation(until != null && uptime.now().isBefore(until), since, until);
      }
    }
  }

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

  private final List<RecurringJob> jobs;
  private final JobHistory runs;
  private final BackgroundLoops loops;
  private final ReplicaName replica;
  private final ControlPlaneUptime uptime;
  private final LivenessSettings settings;

  LivenessController(
      List<RecurringJob> jobs,
      JobHistory runs,
      BackgroundLoops loops,
      ReplicaName replica,
      ControlPlaneUptime uptime,
      LivenessSettings settings) {
    this.jobs = jobs;
    this.runs = runs;
    this.loops = loops;
    this.replica = replica;
    this.uptime = uptime;
    this.settings = settings;
  }

  /**
   * Returns every cluster job, with its last run on any replica, and every loop of this replica.
   */
  @GetMapping("/admin/liveness")
  @RouteAccess(CallerKind.VIEWER)
  LivenessView show(Caller caller) {
    AccessChecks.requireReader(caller);
    var intervals =
        jobs.stream().collect(Collectors.toMap(RecurringJob::name, RecurringJob::interval));
    Stream<LoopView> ofCluster =
        runs.of(jobs).stream()
            .map(run -> LoopView.of(run, Objects.requireNonNull(intervals.get(run.job()))));
    Stream<LoopView> ofReplica =
        loops.states().stream().map(state -> LoopView.of(state, replica.name()));
    Uptime stored = uptime.read();
    return new LivenessView(
        Stream.of(ofCluster, ofReplica).flatMap(Function.identity()).toList(),
        LivenessView.ControlPlane.of(stored),
        LivenessView.SelfPreservation.of(stored, settings));
  }
}
