package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.problem.Outage;
import dev.muster.platform.uptime.ControlPlaneUptime;
import dev.muster.platform.uptime.Uptime;
import dev.muster.workspace.Transitions;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Takes silent workspaces offline, a few a transaction (R5.1), nobody for an absence of ours
 * (R5.2), and for a while nobody at all when it is most of them (R5.3).
 *
 * <p>Two sweeps at once do no harm: each row has one lock, the hold one row.
 */
@Component
class LivenessSweep {

  private static final Logger log = LoggerFactory.getLogger(LivenessSweep.class);

  private static final UUID LOWEST_ID = new UUID(0, 0);
  private static final int REST_FOR_WORK = 2;
  private static final long LONGEST_REST_NANOS = Duration.ofMillis(500).toNanos();

  private final LivenessRepository repository;
  private final LivenessSettings settings;
  private final MassOffline massOffline;
  private final ControlPlaneUptime uptime;
  private final Events events;
  private final Transitions transitions;
  private final SweepMetrics metrics;
  private final TransactionTemplate transactions;

  LivenessSweep(
      LivenessRepository repository,
      LivenessSettings settings,
      ControlPlaneUptime uptime,
      Events events,
      Transitions transitions,
      SweepMetrics livenessMetrics,
      TransactionTemplate transactions) {
    this.repository = repository;
    this.settings = settings;
    this.massOffline = new MassOffline(settings.massRatio(), settings.massHold());
    this.uptime = uptime;
    this.events = events;
    this.transitions = transitions;
    this.metrics = livenessMetrics;
    this.transactions = transactions;
  }

  /** The recurring job: fails, after all batches were tried, when one of them did. */
  void run() {
    Optional<Uptime> now = uptime.look();
    if (now.isEmpty()) {
      log.debug("no sweep: whether the control plane is up is not known");
      return;
    }
    SweepReport report = metrics.measure(() -> sweep(now.get()));
    if (report.takenOffline() > 0) {
      log.info("{} silent workspaces are offline now", report.takenOffline());
    }
    if (report.firstFailure() != null) {
      throw new IllegalStateException(
          "%d of %d batches failed: %s"
              .formatted(report.failedBatches(), report.batches(), report.firstFailure()),
          report.firstFailure());
    }
  }

  SweepReport sweep(Uptime now) {
    try {
      Silence silence = Silence.at(now, settings);
      FleetCount fleet = repository.count(silence);
      return switch (massOffline.judge(fleet, now.holdSince(), now.now())) {
        case MassOffline.Verdict.Hold(Instant since) -> {
          hold(since, fleet);
          yield new SweepReport(fleet, 0, 0, 0, null, since);
        }
        case MassOffline.Verdict.Take(boolean endsHold) -> {
          if (endsHold && uptime.endHold()) {
            log.info(
                "liveness works as usual again: {} of {} silent", fleet.silent(), fleet.live());
          }
          yield fleet.due() == 0
              ? new SweepReport(fleet, 0, 0, 0, null, null)
              : take(fleet, silence);
        }
      };
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  /** One event an episode: whoever sets the mark records it, in the same transaction. */
  private void hold(Instant since, FleetCount fleet) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("silent", fleet.due());
    payload.put("live", fleet.live());
    payload.put("ratio", settings.massRatio());
    payload.put("hold_until", massOffline.until(since));
    transactions.executeWithoutResult(status -> {
      if (uptime.beginHold(since)) {
        events.record(new NewEvent(EventType.LIVENESS_SUSPENDED, null, payload));
        log.warn(
            "{} of {} live workspaces are silent at once: nobody goes offline until {}",
            fleet.due(),
            fleet.live(),
            massOffline.until(since));
      }
    });
  }

  private SweepReport take(FleetCount fleet, Silence silence) {
    int taken = 0;
    int batches = 0;
    int failed = 0;
    @Nullable RuntimeException firstFailure = null;
    List<UUID> page = repository.dueFrom(LOWEST_ID, silence);
    while (!page.isEmpty()) {
      batches++;
      long start = System.nanoTime();
      try {
        taken += takeOffline(page, silence);
      } catch (RuntimeException e) {
        if (Outage.is(e)) {
          throw e;
        }
        metrics.countError();
        failed++;
        firstFailure = firstFailure == null ? e : firstFailure;
      }
      boolean last = page.size() < LivenessRepository.MOST_IN_A_BATCH;
      if (!last) {
        restAfter(System.nanoTime() - start);
      }
      page = last ? List.of() : repository.dueFrom(page.getLast(), silence);
    }
    return new SweepReport(fleet, taken, batches, failed, firstFailure, null);
  }

  /** Those who still beat share the database with a large sweep, which has the time. */
  private static void restAfter(long workedNanos) {
    LockSupport.parkNanos(Math.min(REST_FOR_WORK * workedNanos, LONGEST_REST_NANOS));
  }

  private int takeOffline(List<UUID> page, Silence silence) {
    int taken =
        transactions.execute(status -> {
          List<SilentWorkspace> silent = repository.lock(page, silence);
          repository.takeOffline(silent);
          events.recordAll(silent.stream().map(one -> one.offlineEvent(silence.now())).toList());
          silent.stream()
              .collect(Collectors.groupingBy(SilentWorkspace::status, Collectors.counting()))
              .forEach((from, moved) ->
                  transitions.countAfterCommit(
                      from, WorkspaceStatus.OFFLINE, "silence", moved.intValue()));
          return silent.size();
        });
    metrics.countTransitions(taken);
    return taken;
  }
}
