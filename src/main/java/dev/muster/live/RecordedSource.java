package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.event.RecordedEvent;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the recorded events after a position; missing ones become one {@code REPLAY_GAP}. It shows
 * all events of workspaces that the audience sees in full. Of peers it shows only events after the
 * stream opened (R10.3).
 */
final class RecordedSource implements Source {

  private final EventLog events;
  private final EventAudience audience;
  private final InstantSource clock;
  private final long openedAt;
  private volatile long lastSeq;

  RecordedSource(EventLog events, EventAudience audience, long after, InstantSource clock) {
    this.events = events;
    this.audience = audience;
    this.clock = clock;
    this.openedAt = events.head();
    this.lastSeq = after;
  }

  @Override
  public boolean hasMore() {
    return events.head() > lastSeq;
  }

  @Override
  public Optional<List<Frame>> next() {
    @Nullable UUID self = audience.self();
    return self != null && lastSeq < openedAt && !events.remembersAfter(lastSeq)
        ? Optional.of(nextOfOwnPast(self))
        : nextOfAll();
  }

  private Optional<List<Frame>> nextOfAll() {
    // read before the events: a seq up to this head that is missing among them was deleted
    long head = events.head();
    List<RecordedEvent> next = events.after(lastSeq);
    if (next.isEmpty() && head <= lastSeq) {
      return Optional.empty();
    }
    long firstKept = next.isEmpty() ? head + 1 : next.getFirst().seq();
    List<Frame> frames = gapBefore(firstKept);
    next.stream().map(this::shown).flatMap(Optional::stream).forEach(frames::add);
    lastSeq = next.isEmpty() ? head : next.getLast().seq();
    return Optional.of(frames);
  }

  /**
   * Reads only the workspace's own events up to the opening. Earlier events of peers are not shown.
   */
  private List<Frame> nextOfOwnPast(UUID self) {
    EventLog.Past past = events.pastOf(self, lastSeq);
    List<Frame> frames = gapBefore(past.firstKept());
    past.events().stream()
        .filter(event -> event.seq() <= openedAt)
        .map(Frame::of)
        .forEach(frames::add);
    lastSeq = past.isWhole() ? openedAt : Math.min(openedAt, past.events().getLast().seq());
    return frames;
  }

  private List<Frame> gapBefore(long firstKept) {
    List<Frame> frames = new ArrayList<>();
    if (firstKept > lastSeq + 1) {
      frames.add(Frame.replayGap("expired", lastSeq, firstKept - 1, clock.instant()));
    }
    return frames;
  }

  private Optional<Frame> shown(RecordedEvent event) {
    if (audience.seesAllOf(event.workspaceId())) {
      return Optional.of(Frame.of(event));
    }
    return event.seq() > openedAt
            && PeerView.showsRecorded(event.eventType())
            && audience.isPeer(event.workspaceId())
        ? Optional.of(Frame.of(event).forPeers())
        : Optional.empty();
  }
}
