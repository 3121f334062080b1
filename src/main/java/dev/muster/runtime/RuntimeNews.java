package dev.muster.runtime;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.runtime.HeadRepository.End;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Tells watchers of every runtime event, once and in its stream's order, whichever replica took it
 * in (R9.2, R10.1). It keeps the last number of each stream that was told, so a signal that is
 * lost, comes late or twice changes nothing. While nobody watches it does nothing and costs
 * nothing.
 *
 * <p>There is room for a few thousand live events, and a watcher who is overrun is cut off. So
 * chunks that come in crowds are told together, and crowds of anything else in portions.
 */
@Component
class RuntimeNews {

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int IDLE_SHARE = 20;

  /** A stream's time is drawn a while before its transaction's commit lets others see it. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(30);

  private static final Instant BEFORE_ALL = Instant.EPOCH.plus(LONGEST_TRANSACTION);

  private static final int MOST_BYTES_IN_A_PAGE = 1 << 20;
  private static final int MOST_EVENTS_IN_A_PAGE = 2000;

  /** What comes within it is told together: a look costs the same for one event and for many. */
  private static final Duration BETWEEN_PAGES = Duration.ofMillis(25);

  private static final int PORTION = 500;
  private static final Duration BETWEEN_PORTIONS = Duration.ofMillis(50);

  private final HeadRepository heads;
  private final SegmentRepository segments;
  private final LiveEvents live;
  private final Map<UUID, Long> told = new HashMap<>();
  private final Set<UUID> grown = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  private Instant newest = BEFORE_ALL;
  private volatile long nextLookAt = System.nanoTime();

  RuntimeNews(HeadRepository heads, SegmentRepository segments, LiveEvents live) {
    this.heads = heads;
    this.segments = segments;
    this.live = live;
    live.beforeWatched(this::begin);
    this.loop = BackgroundLoop.start("runtime-news", BETWEEN_LOOKS, this::tell);
  }

  /** After the commit. */
  void grown(Set<UUID> workspaceIds) {
    if (live.isWatched()) {
      grown.addAll(workspaceIds);
      loop.wake();
    }
  }

  /** Any stream may have grown: other replicas were not heard for a while. */
  void anyMayHaveGrown() {
    nextLookAt = System.nanoTime();
    loop.wake();
  }

  /** What is there already is no news. */
  private synchronized void begin() {
    told.clear();
    grown.clear();
    newest = BEFORE_ALL;
    for (End end : heads.endsSince(Instant.EPOCH)) {
      told.put(end.workspaceId(), end.lastSeq());
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
    }
  }

  private void tell() {
    while (live.isWatched() && tellPage()) {
      LockSupport.parkNanos(BETWEEN_PAGES.toNanos());
    }
  }

  /** Whether there may be more; who wants to watch gets in between two pages. */
  private synchronized boolean tellPage() {
    if (!live.isWatched()) {
      return false;
    }
    lookIfDue();
    Set<UUID> streams = Set.copyOf(grown);
    if (streams.isEmpty()) {
      return false;
    }
    grown.removeAll(streams);
    try {
      List<Segment> page = after(streams);
      publish(page);
      if (!page.isEmpty()) {
        grown.addAll(streams);
      }
    } catch (RuntimeException e) {
      grown.addAll(streams);
      throw e;
    }
    return true;
  }

  private List<Segment> after(Set<UUID> streams) {
    return segments.after(
        streams.stream().collect(Collectors.toMap(id -> id, id -> told.getOrDefault(id, 0L))),
        MOST_BYTES_IN_A_PAGE,
        MOST_EVENTS_IN_A_PAGE);
  }

  private void publish(List<Segment> page) {
    List<LiveEvent> events =
        LiveChunk.of(page.stream().flatMap(segment -> segment.read().stream()).toList()).stream()
            .map(LiveChunk::event)
            .toList();
    for (int from = 0; from < events.size(); from += PORTION) {
      if (from > 0) {
        LockSupport.parkNanos(BETWEEN_PORTIONS.toNanos());
      }
      live.publish(events.subList(from, Math.min(from + PORTION, events.size())));
    }
    page.forEach(segment -> told.put(segment.workspaceId(), segment.lastSeq()));
  }

  private void lookIfDue() {
    long start = System.nanoTime();
    if (start - nextLookAt < 0) {
      return;
    }
    for (End end : heads.endsSince(newest.minus(LONGEST_TRANSACTION))) {
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
      if (end.lastSeq() > told.getOrDefault(end.workspaceId(), 0L)) {
        grown.add(end.workspaceId());
      }
    }
    long took = System.nanoTime() - start;
    nextLookAt = start + Math.max(BETWEEN_LOOKS.toNanos(), IDLE_SHARE * took);
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
