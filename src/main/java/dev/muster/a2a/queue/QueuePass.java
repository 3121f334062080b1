package dev.muster.a2a.queue;

import dev.muster.a2a.queue.LineRepository.Line;
import dev.muster.platform.jobs.DeliveryJobs;
import dev.muster.platform.jobs.Pace;
import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.text.Text;
import dev.muster.workspace.Room;
import dev.muster.workspace.Rooms;
import dev.muster.workspace.WorkspaceStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Goes through the lines of all targets, for whatever no beat and no end of a delivery brought on
 * its way; and ends what has waited too long, or for a workspace that was removed.
 */
@Component
class QueuePass {

  private static final Logger log = LoggerFactory.getLogger(QueuePass.class);
  private static final int TARGETS_ON_A_PAGE = 500;
  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /** What a pass ended, and for which removed workspaces. */
  private record Swept(int expired, int dropped, Set<UUID> removed) {}

  private final LineRepository lines;
  private final UnsentEnds unsent;
  private final Rooms rooms;
  private final DeliveryJobs jobs;
  private final SweepMetrics metrics;

  QueuePass(
      LineRepository lines,
      UnsentEnds unsent,
      Rooms rooms,
      DeliveryJobs jobs,
      MeterRegistry metrics) {
    this.lines = lines;
    this.unsent = unsent;
    this.rooms = rooms;
    this.jobs = jobs;
    this.metrics = new SweepMetrics(metrics, "queue");
  }

  void run() {
    try {
      Swept swept = metrics.measure(this::sweep);
      metrics.countTransitions(swept.expired() + swept.dropped());
      if (swept.expired() + swept.dropped() > 0) {
        log.info(
            "the queue is swept: {} messages expired, {} were for removed workspaces [{}]",
            swept.expired(),
            swept.dropped(),
            Text.few(swept.removed()));
      }
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  private Swept sweep() {
    int expired = 0;
    int dropped = 0;
    Set<UUID> removed = new TreeSet<>();
    int batch;
    do {
      long start = System.nanoTime();
      batch = unsent.expireBatch();
      expired += batch;
      if (batch > 0) {
        Pace.restAfter(System.nanoTime() - start);
      }
    } while (batch == UnsentEnds.MOST_IN_A_BATCH);
    List<Line> page = lines.after(BEFORE_ALL, TARGETS_ON_A_PAGE);
    while (!page.isEmpty()) {
      dropped += goThrough(page, removed);
      page = lines.after(page.getLast().targetId(), TARGETS_ON_A_PAGE);
    }
    return new Swept(expired, dropped, removed);
  }

  /** How many waited for targets that were removed; others are delivered to if they have room. */
  private int goThrough(List<Line> page, Set<UUID> removed) {
    Map<UUID, Room> found = rooms.of(page.stream().map(Line::targetId).toList());
    jobs.schedule(
        TargetDeliveries.JOB,
        page.stream()
            .filter(line -> line.isDue() && isReachable(found.get(line.targetId())))
            .map(line -> line.targetId().toString())
            .collect(Collectors.toSet()));
    int dropped = 0;
    for (Line line : page) {
      if (isGone(found.get(line.targetId()))) {
        int now = unsent.dropOfRemoved(List.of(line.targetId()));
        if (now > 0) {
          removed.add(line.targetId());
        }
        dropped += now;
      }
    }
    return dropped;
  }

  private static boolean isReachable(@Nullable Room room) {
    return room != null && room.isReachable();
  }

  private static boolean isGone(@Nullable Room room) {
    return room == null || room.status() == WorkspaceStatus.REMOVED;
  }

  /** How many have waited for so many minutes, for this target or any, and are dropped. */
  int dropStale(@Nullable UUID targetId, int minutes) {
    if (targetId != null) {
      return dropAllStale(List.of(targetId), minutes);
    }
    int dropped = 0;
    List<Line> page = lines.after(BEFORE_ALL, TARGETS_ON_A_PAGE);
    while (!page.isEmpty()) {
      dropped += dropAllStale(page.stream().map(Line::targetId).toList(), minutes);
      page = lines.after(page.getLast().targetId(), TARGETS_ON_A_PAGE);
    }
    return dropped;
  }

  private int dropAllStale(List<UUID> targetIds, int minutes) {
    int dropped = 0;
    int batch;
    do {
      batch = unsent.dropStaleBatch(targetIds, minutes);
      dropped += batch;
    } while (batch == UnsentEnds.MOST_IN_A_BATCH);
    return dropped;
  }
}
