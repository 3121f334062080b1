package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.heartbeat.BatchedTransitions.TransitionSummary;
import dev.muster.heartbeat.LivenessRepository.SilenceCutoff;
import dev.muster.heartbeat.LivenessRepository.SilentWorkspace;
import dev.muster.heartbeat.MassOfflineGuard.FleetSilence;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.workspace.HeartbeatCadence;
import dev.muster.workspace.StatusTransitionMetrics;
import dev.muster.workspace.WorkspaceChanges;
import dev.muster.workspace.WorkspaceStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Takes silent workspaces offline, one batch per transaction (R5.1).
 *
 * <p>Silence that an uptime gap can explain does not count (R5.2). When too large a share is
 * silent, none goes offline for a while (R5.3).
 *
 * <p>Concurrent sweeps are safe, because each workspace row is locked and the hold is one row.
 */
@Component
class LivenessSweep {

  private static final Logger log = LoggerFactory.getLogger(LivenessSweep.class);

  /**
   * The result of a liveness sweep.
   *
   * @param heldSince start of the hold that prevented offline transitions; null without a hold
   */
  record SweepReport(FleetSilence fleet, TransitionSummary summary, @Nullable Instant heldSince) {

    int takenOffline() {
      return summary.moved();
    }
  }

  private final LivenessRepository repository;
  private final LivenessSettings settings;
  private final HeartbeatCadence cadence;
  private final MassOfflineGuard guard;
  private final ControlPlaneUptime uptime;
  private final Events events;
  private final WorkspaceChanges changes;
  private final StatusTransitionMetrics transitions;
  private final SweepMetrics metrics;
  private final TransactionTemplate transactions;
  private final BatchedTransitions batches;

  LivenessSweep(
      LivenessRepository repository,
      LivenessSettings settings,
      HeartbeatCadence cadence,
      ControlPlaneUptime uptime,
      Events events,
      WorkspaceChanges changes,
      StatusTransitionMetrics transitions,
      SweepMetrics livenessMetrics,
      TransactionTemplate transactions,
      MeterRegistry registry) {
    this.repository = repository;
    this.settings = settings;
    this.cadence = cadence;
    this.guard =
        new MassOfflineGuard(settings.massOffline().ratio(), settings.massOffline().hold());
    this.uptime = uptime;
    this.events = events;
    this.changes = changes;
    this.transitions = transitions;
    this.metrics = livenessMetrics;
    this.transactions = transactions;
    this.batches =
        new BatchedTransitions(
            transactions, livenessMetrics, new FailingUnits("liveness-sweep", registry));
  }

  /** Runs the recurring job. */
  void run() {
    Optional<Uptime> now = uptime.tickAndRead();
    if (now.isEmpty()) {
      log.debug("no sweep: the uptime of the control plane is unknown");
      return;
    }
    SweepReport report = metrics.measure(() -> sweep(now.get()));
    if (report.takenOffline() > 0) {
      log.info("took {} stale workspaces offline", report.takenOffline());
    }
  }

  SweepReport sweep(Uptime now) {
    try {
      SilenceCutoff cutoff = SilenceCutoff.at(now, settings, cadence.staleAfter());
      FleetSilence fleet = repository.count(cutoff);
      return switch (guard.judge(fleet, now.holdSince(), now.now())) {
        case MassOfflineGuard.Decision.Hold(Instant since) -> {
          hold(since, fleet);
          yield new SweepReport(fleet, TransitionSummary.NONE, since);
        }
        case MassOfflineGuard.Decision.Take(boolean endsHold) -> {
          if (endsHold && uptime.endHold()) {
            log.info(
                "liveness resumed: {} of {} live workspaces are stale",
                fleet.silent(),
                fleet.live());
          }
          yield new SweepReport(
              fleet, fleet.due() == 0 ? TransitionSummary.NONE : take(cutoff), null);
        }
      };
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  /** Records one event per hold: the transaction that sets the hold also records the event. */
  private void hold(Instant since, FleetSilence fleet) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("silent", fleet.due());
    payload.put("live", fleet.live());
    payload.put("ratio", settings.massOffline().ratio());
    payload.put("hold_until", guard.until(since));
    transactions.executeWithoutResult(status -> {
      if (uptime.beginHold(since)) {
        events.record(new NewEvent(EventType.LIVENESS_SUSPENDED, null, payload));
        log.warn(
            "{} of {} live workspaces are stale at once: none goes offline until {}",
            fleet.due(),
            fleet.live(),
            guard.until(since));
      }
    });
  }

  private TransitionSummary take(SilenceCutoff cutoff) {
    return batches.run(
        from -> repository.findDue(from, cutoff), batch -> takeOffline(batch, cutoff));
  }

  private int takeOffline(List<UUID> batch, SilenceCutoff cutoff) {
    List<SilentWorkspace> silent = repository.lock(batch, cutoff);
    Instant since = repository.takeOffline(silent).orElse(cutoff.now());
    changes.statusChanged(
        silent.stream().map(SilentWorkspace::workspaceId).toList(), WorkspaceStatus.OFFLINE);
    events.recordAll(silent.stream().map(one -> one.offlineEvent(cutoff.now(), since)).toList());
    silent.stream()
        .collect(
            Collectors.groupingBy(
                SilentWorkspace::status,
                Collectors.mapping(SilentWorkspace::workspaceId, Collectors.toList())))
        .forEach((from, moved) ->
            transitions.publishAfterCommit(moved, from, WorkspaceStatus.OFFLINE, "silence"));
    return silent.size();
  }
}
