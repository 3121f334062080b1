package dev.muster.heartbeat;

import dev.muster.event.Events;
import dev.muster.heartbeat.BatchedTransitions.TransitionSummary;
import dev.muster.heartbeat.StallRepository.EndedStall;
import dev.muster.heartbeat.StallRepository.StallCutoff;
import dev.muster.heartbeat.StallRepository.StalledWorkspace;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.text.Text;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.workspace.HeartbeatCadence;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Marks agents that send heartbeats and are busy but write nothing (R5.4).
 *
 * <p>Each new mark records one event. The mark is removed when the agent writes, has no task, or is
 * not online; that is an event too, unless the workspace has another status, which has its own. The
 * status does not change.
 *
 * <p>Concurrent sweeps are safe, because each row is locked.
 */
@Component
class StallSweep {

  private static final Logger log = LoggerFactory.getLogger(StallSweep.class);

  /** How many stalls ended and began. */
  record StallReport(TransitionSummary ended, TransitionSummary begun, List<UUID> stalled) {}

  private final StallRepository repository;
  private final LivenessSettings settings;
  private final HeartbeatCadence cadence;
  private final ControlPlaneUptime uptime;
  private final Events events;
  private final SweepMetrics metrics;
  private final BatchedTransitions batches;

  StallSweep(
      StallRepository repository,
      LivenessSettings settings,
      HeartbeatCadence cadence,
      ControlPlaneUptime uptime,
      Events events,
      SweepMetrics stallMetrics,
      TransactionTemplate transactions,
      MeterRegistry registry) {
    this.repository = repository;
    this.settings = settings;
    this.cadence = cadence;
    this.uptime = uptime;
    this.events = events;
    this.metrics = stallMetrics;
    this.batches =
        new BatchedTransitions(
            transactions, stallMetrics, new FailingUnits("stall-sweep", registry));
  }

  /** Runs the recurring job. */
  void run() {
    Optional<Uptime> now = uptime.tickAndRead();
    if (now.isEmpty()) {
      log.debug("no sweep: the uptime of the control plane is unknown");
      return;
    }
    StallReport report = metrics.measure(() -> sweep(now.get()));
    if (report.begun().moved() > 0) {
      log.info(
          "marked {} busy workspaces as stalled: {}",
          report.begun().moved(),
          Text.few(report.stalled()));
    }
    if (report.ended().moved() > 0) {
      log.info("{} workspaces are no longer stalled", report.ended().moved());
    }
  }

  StallReport sweep(Uptime now) {
    try {
      StallCutoff cutoff = StallCutoff.at(now, settings.stalledAfter(), cadence.staleAfter());
      TransitionSummary ended =
          batches.run(from -> repository.findEnded(from, cutoff), batch -> end(batch, cutoff));
      List<UUID> stalled = new ArrayList<>();
      TransitionSummary begun =
          batches.run(
              from -> repository.findDue(from, cutoff), batch -> begin(batch, cutoff, stalled));
      return new StallReport(ended, begun, stalled);
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  private int end(List<UUID> batch, StallCutoff cutoff) {
    List<EndedStall> ended = repository.unmark(batch, cutoff);
    events.recordAll(ended.stream().filter(EndedStall::isUp).map(EndedStall::event).toList());
    return ended.size();
  }

  private int begin(List<UUID> batch, StallCutoff cutoff, List<UUID> notified) {
    List<StalledWorkspace> stalled = repository.lockDue(batch, cutoff);
    repository.mark(stalled, cutoff.now());
    events.recordAll(stalled.stream().map(one -> one.event(cutoff.now())).toList());
    stalled.forEach(one -> notified.add(one.workspaceId()));
    return stalled.size();
  }
}
