package dev.muster.runtime;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.event.SeriesRelay;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.springframework.stereotype.Component;

/**
 * Tells watchers of every runtime event, once and in its stream's order, whichever replica took it
 * in (R9.2, R10.1). While nobody watches it does nothing and costs nothing.
 *
 * <p>There is room for a few thousand live events, and a watcher who is overrun is cut off. So
 * chunks that come in crowds are told together, and crowds of anything else in portions.
 */
@Component
class RuntimeNews {

  private static final int MOST_BYTES_IN_A_PAGE = 1 << 20;
  private static final int MOST_EVENTS_IN_A_PAGE = 2000;

  /** What comes within it is told together: a look costs the same for one event and for many. */
  private static final Duration BETWEEN_PAGES = Duration.ofMillis(25);

  private static final int PORTION = 500;
  private static final Duration BETWEEN_PORTIONS = Duration.ofMillis(50);

  private final SegmentRepository segments;
  private final LiveEvents live;
  private final SeriesRelay relay;

  RuntimeNews(HeadRepository heads, SegmentRepository segments, LiveEvents live) {
    this.segments = segments;
    this.live = live;
    this.relay = new SeriesRelay("runtime-news", live, heads::endsSince, this::tell);
  }

  /** After the commit. */
  void grown(Set<UUID> workspaceIds) {
    relay.grown(workspaceIds);
  }

  /** Any stream may have grown: other replicas were not heard for a while. */
  void anyMayHaveGrown() {
    relay.anyMayHaveGrown();
  }

  /** Who wants to watch gets in between two pages. */
  private void tell(SeriesRelay relay) {
    while (relay.tell(grown -> tellPage(relay, grown))) {
      LockSupport.parkNanos(BETWEEN_PAGES.toNanos());
    }
  }

  private Set<UUID> tellPage(SeriesRelay relay, Set<UUID> grown) {
    List<Segment> page =
        segments.after(relay.told(grown), MOST_BYTES_IN_A_PAGE, MOST_EVENTS_IN_A_PAGE);
    publish(page);
    page.forEach(segment -> relay.setTold(segment.workspaceId(), segment.lastSeq()));
    return page.isEmpty() ? Set.of() : grown;
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
  }

  @PreDestroy
  void close() {
    relay.loop().close();
  }
}
