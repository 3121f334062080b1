package dev.muster.runtime;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.event.ReplicaNotifier;
import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.event.SeriesRelay;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.springframework.stereotype.Component;

/**
 * Relays every runtime event to live subscribers, once and in stream order (R9.2, R10.1).
 *
 * <p>It includes events that other replicas stored. Without subscribers it does no work.
 *
 * <p>The live buffer holds a few thousand events and disconnects an overrun subscriber. Large
 * numbers of chunks are therefore merged, and other events are published in limited portions.
 */
@Component
class RuntimeEventRelay implements ReplicaNotificationListener {

  private static final int MAX_PAGE_BYTES = 1 << 20;
  private static final int MAX_PAGE_EVENTS = 2000;

  /** Pause between pages, because a query costs the same for one event and for many. */
  private static final Duration PAGE_INTERVAL = Duration.ofMillis(25);

  private static final int PORTION = 500;
  private static final Duration CHUNK_INTERVAL = Duration.ofMillis(50);

  private final SegmentRepository segments;
  private final LiveEvents live;
  private final SeriesRelay relay;
  private final ReplicaNotifier notifier;

  RuntimeEventRelay(
      StreamHeads heads,
      SegmentRepository segments,
      LiveEvents live,
      ReplicaNotifier notifier,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.segments = segments;
    this.live = live;
    this.notifier = notifier;
    this.relay =
        new SeriesRelay(loops, metrics, "runtime-event-relay", live, heads::endsSince, this::relay);
  }

  /** Marks streams for the relays of all replicas; call it after the commit. */
  void streamsChanged(Set<UUID> workspaceIds) {
    relay.seriesChanged(workspaceIds);
    notifier.send(ReplicaTopic.RUNTIME, workspaceIds);
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.RUNTIME;
  }

  @Override
  public void onNotification(Set<UUID> workspaceIds) {
    relay.seriesChanged(workspaceIds);
  }

  /** Queries all streams on the next run, because notifications of other replicas may be lost. */
  @Override
  public void onResync() {
    relay.resync();
  }

  /** Relays page by page; a new subscriber is added between two pages. */
  private void relay(SeriesRelay relay) {
    while (relay.relay(streamsChanged -> relayPage(relay, streamsChanged))) {
      LockSupport.parkNanos(PAGE_INTERVAL.toNanos());
    }
  }

  private Set<UUID> relayPage(SeriesRelay relay, Set<UUID> streamsChanged) {
    List<StreamSegment> page =
        segments.after(relay.relayedUpTo(streamsChanged), MAX_PAGE_BYTES, MAX_PAGE_EVENTS);
    publish(page);
    page.forEach(segment -> relay.setRelayed(segment.workspaceId(), segment.lastSeq()));
    return page.isEmpty() ? Set.of() : streamsChanged;
  }

  private void publish(List<StreamSegment> page) {
    List<LiveEvent> events =
        MergedChunk.of(page.stream().flatMap(segment -> segment.read().stream()).toList()).stream()
            .map(MergedChunk::event)
            .toList();
    for (int from = 0; from < events.size(); from += PORTION) {
      if (from > 0) {
        LockSupport.parkNanos(CHUNK_INTERVAL.toNanos());
      }
      live.publish(events.subList(from, Math.min(from + PORTION, events.size())));
    }
  }

  @PreDestroy
  void close() {
    relay.close();
  }
}
