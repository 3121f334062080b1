package dev.muster.heartbeat;

import dev.muster.event.LastValue;
import dev.muster.event.LastValue.Kind;
import dev.muster.event.LastValues;
import dev.muster.heartbeat.HeartbeatSnapshotRepository.HeartbeatSnapshot;
import dev.muster.platform.work.AdaptiveInterval;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Publishes heartbeats and task changes as last values (R4.5).
 *
 * <p>It reads the rows, so it includes heartbeats that other replicas stored. Without a subscriber
 * it does no work.
 *
 * <p>Heartbeats stored by this replica are published within 100 ms. Once a second a scan of all
 * rows finds those of other replicas. A slow scan runs less often, so that scans take at most a
 * twentieth of a core.
 */
@Component
class HeartbeatEventRelay {

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  /** Assumed maximum time between drawing a heartbeat's timestamp and its visible commit. */
  private static final Duration MAX_COMMIT = Duration.ofSeconds(5);

  /**
   * Keeps the state after the last subscriber left, so that a quick reconnect needs no full read.
   */
  private static final Duration CACHE_TTL = Duration.ofMinutes(1);

  private final HeartbeatSnapshotRepository repository;
  private final LastValues values;
  private final Set<UUID> storedHere = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  private final Map<UUID, HeartbeatSnapshot> known = new HashMap<>();
  private Instant newest = Instant.EPOCH.plus(MAX_COMMIT);
  private final AdaptiveInterval scans = new AdaptiveInterval(POLL_INTERVAL);
  private long watchedAt = System.nanoTime();

  HeartbeatEventRelay(
      HeartbeatSnapshotRepository repository, LastValues values, BackgroundLoops loops) {
    this.repository = repository;
    this.values = values;
    values.beforeWatched(this::begin);
    this.loop = loops.start("heartbeat-event-relay", TICK, this::relay);
  }

  /** Marks a workspace for publication; call it after the commit of its heartbeat. */
  void heartbeatStored(UUID workspaceId) {
    if (values.isWatched()) {
      storedHere.add(workspaceId);
    }
  }

  /**
   * Loads the current state, which is not published.
   *
   * <p>After a pause shorter than {@code CACHE_TTL}, only the changed rows are read.
   */
  private synchronized void begin() {
    watchedAt = System.nanoTime();
    storedHere.clear();
    remember(repository.changedSince(newest.minus(MAX_COMMIT)));
  }

  private synchronized void relay() {
    long now = System.nanoTime();
    if (!values.isWatched()) {
      if (now - watchedAt > CACHE_TTL.toNanos()) {
        known.clear();
        newest = Instant.EPOCH.plus(MAX_COMMIT);
      }
      return;
    }
    watchedAt = now;
    relayChanges(repository.of(take(storedHere)));
    scans.runIfDue(() -> relayChanges(repository.changedSince(newest.minus(MAX_COMMIT))));
  }

  private static List<UUID> take(Set<UUID> ids) {
    List<UUID> taken = List.copyOf(ids);
    taken.forEach(ids::remove);
    return taken;
  }

  private void relayChanges(List<HeartbeatSnapshot> rows) {
    for (HeartbeatSnapshot row : rows) {
      @Nullable HeartbeatSnapshot before = known.get(row.workspaceId());
      if (before == null || row.lastHeartbeatAt().isAfter(before.lastHeartbeatAt())) {
        if (!row.currentTask().equals(before == null ? "" : before.currentTask())) {
          values.publish(value(Kind.TASK_UPDATED, row, row.task()));
        }
        values.publish(value(Kind.WORKSPACE_HEARTBEAT, row, row.heartbeat()));
      }
    }
    remember(rows);
  }

  private void remember(List<HeartbeatSnapshot> rows) {
    for (HeartbeatSnapshot row : rows) {
      known.put(row.workspaceId(), row);
      newest = row.lastHeartbeatAt().isAfter(newest) ? row.lastHeartbeatAt() : newest;
    }
  }

  private static LastValue value(Kind kind, HeartbeatSnapshot row, Map<String, ?> payload) {
    return new LastValue(kind, row.workspaceId(), row.lastHeartbeatAt(), payload);
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
