package dev.muster.heartbeat;

import dev.muster.event.LiveValue;
import dev.muster.event.LiveValue.Kind;
import dev.muster.event.LiveValues;
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
class BeatNews {

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int IDLE_SHARE = 20;

  /** A beat's time is drawn a moment before its commit lets others see it. */
  private static final Duration LONGEST_COMMIT = Duration.ofSeconds(5);

  /** A canvas that comes back after a moment costs no look at all rows. */
  private static final Duration REMEMBERED_FOR = Duration.ofMinutes(1);

  private final TelemetryRepository repository;
  private final LiveValues values;
  private final Set<UUID> heardHere = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  private final Map<UUID, Telemetry> known = new HashMap<>();
  private Instant newest = Instant.EPOCH.plus(LONGEST_COMMIT);
  private long nextLookAt = System.nanoTime();
  private long watchedAt = System.nanoTime();

  BeatNews(TelemetryRepository repository, LiveValues values) {
    this.repository = repository;
    this.values = values;
    values.beforeWatched(this::begin);
    this.loop = BackgroundLoop.start("beat-news", TICK, this::tell);
  }

  /** After the commit of a beat. */
  void heard(UUID workspaceId) {
    if (values.isWatched()) {
      heardHere.add(workspaceId);
    }
  }

  /** What is so already is no news; after a short pause only what changed in it has to be read. */
  private synchronized void begin() {
    watchedAt = System.nanoTime();
    heardHere.clear();
    remember(repository.changedSince(newest.minus(LONGEST_COMMIT)));
  }

  private synchronized void tell() {
    long now = System.nanoTime();
    if (!values.isWatched()) {
      if (now - watchedAt > REMEMBERED_FOR.toNanos()) {
        known.clear();
        newest = Instant.EPOCH.plus(LONGEST_COMMIT);
      }
      return;
    }
    watchedAt = now;
    tellOf(repository.of(take(heardHere)));
    if (System.nanoTime() - nextLookAt >= 0) {
      long start = System.nanoTime();
      tellOf(repository.changedSince(newest.minus(LONGEST_COMMIT)));
      long end = System.nanoTime();
      nextLookAt = end + Math.max(BETWEEN_LOOKS.toNanos(), IDLE_SHARE * (end - start));
    }
  }

  private static List<UUID> take(Set<UUID> ids) {
    List<UUID> taken = List.copyOf(ids);
    taken.forEach(ids::remove);
    return taken;
  }

  private void tellOf(List<Telemetry> rows) {
    for (Telemetry row : rows) {
      @Nullable Telemetry before = known.get(row.workspaceId());
      if (before == null || row.heardAt().isAfter(before.heardAt())) {
        if (!row.currentTask().equals(before == null ? "" : before.currentTask())) {
          values.publish(value(Kind.TASK_UPDATED, row, row.task()));
        }
        values.publish(value(Kind.WORKSPACE_HEARTBEAT, row, row.beat()));
      }
    }
    remember(rows);
  }

  private void remember(List<Telemetry> rows) {
    for (Telemetry row : rows) {
      known.put(row.workspaceId(), row);
      newest = row.heardAt().isAfter(newest) ? row.heardAt() : newest;
    }
  }

  private static LiveValue value(Kind kind, Telemetry row, Map<String, ?> payload) {
    return new LiveValue(kind, row.workspaceId(), row.heardAt(), payload);
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
