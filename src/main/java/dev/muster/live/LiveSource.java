package dev.muster.live;

import dev.muster.event.LiveEvents;
import java.util.List;
import java.util.Optional;

/**
 * Reads all live events since the stream began, unless it is overrun. Peers' live events are not
 * shown (R10.3).
 */
final class LiveSource implements Source {

  private final LiveEvents events;
  private final EventAudience audience;
  private volatile long place;

  LiveSource(LiveEvents events, EventAudience audience) {
    this.events = events;
    this.audience = audience;
    this.place = events.newest();
  }

  /**
   * Whether events after the position have left the buffer. The position then never advances again.
   */
  @Override
  public boolean isOverrun() {
    return events.isOverrun(place);
  }

  @Override
  public boolean hasMore() {
    return events.newest() > place;
  }

  @Override
  public Optional<List<Frame>> next() {
    long from = place;
    List<LiveEvents.Entry> next = events.after(from).orElse(List.of());
    if (next.isEmpty()) {
      return Optional.empty();
    }
    List<Frame> frames =
        next.stream()
            .filter(event -> audience.seesAllOf(event.workspaceId()))
            .map(Frame::of)
            .toList();
    place = from + next.size();
    return Optional.of(frames);
  }
}
