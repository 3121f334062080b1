package dev.muster.heartbeat;

import dev.muster.event.LastValue;
import dev.muster.event.LastValue.Kind;
import dev.muster.event.LastValues;
import dev.muster.platform.loop.BackgroundLoop;
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
 * Tells watchers of beats and of changed tasks (R4.5), rebuilt from the rows, so that beats taken
 * by other replicas are told as well. While nobody watches it does nothing and costs nothing.
 *
 * <p>What was heard here is told within a tick. Every second one look at all rows finds what others
 * heard; a look that takes long is taken less often, so that it never takes more than a twentieth
 * of a core.
 */
@Component
class HeartbeatEventRelay {

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int IDLE_SHARE = 20;

  /** A beat's time is drawn a moment before its commit lets others see it. */
  private static final Duration MAX_COMMIT = Duration.ofSeconds(5);

  /** A canvas that comes back after a moment costs no look at all rows. */
  private static final Duration CACHE_TTL = Duration.ofMinutes(1);

  private final HeartbeatSnapshotRepository repository;
  private final LastValues values;
  private final Set<UUID> storedHere = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  private final Map<UUID, HeartbeatSnapshot> known = new HashMap<>();
  private Instant newest = Instant.EPOCH.plus(MAX_COMMIT);
  private long nextLookAt = System.nanoTime();
  private long watchedAt = System.nanoTime();

  HeartbeatEventRelay(HeartbeatSnapshotRepository repository, LastValues values) {
    this.repository = repository;
    this.values = values;
    values.beforeWatched(this::begin);
    this.loop = BackgroundLoop.start("heartbeat-event-relay", TICK, this::relay);
  }

  /** After the commit of a beat. */
  void heartbeatStored(UUID workspaceId) {
    if (values.isWatched()) {
      storedHere.add(workspaceId);
    }
  }

  /** What is so already is no news; after a short pause only what changed in it has to be read. */
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
    if (System.nanoTime() - nextLookAt >= 0) {
      long start = System.nanoTime();
      relayChanges(repository.changedSince(newest.minus(MAX_COMMIT)));
      long end = System.nanoTime();
      nextLookAt = end + Math.max(POLL_INTERVAL.toNanos(), IDLE_SHARE * (end - start));
    }
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
