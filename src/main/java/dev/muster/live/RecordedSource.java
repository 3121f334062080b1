package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.event.RecordedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The recorded events, all of them or a {@code REPLAY_GAP} in their place. */
final class RecordedSource implements Source {

  private final EventLog events;
  private final Viewer viewer;
  private volatile long lastSeq;

  RecordedSource(EventLog events, Viewer viewer, long after) {
    this.events = events;
    this.viewer = viewer;
    this.lastSeq = after;
  }

  @Override
  public boolean hasNews() {
    return events.head() > lastSeq;
  }

  @Override
  public Optional<List<Frame>> next() {
    // read before the events: what is numbered up to here and yet not among them is kept no longer
    long head = events.head();
    List<RecordedEvent> next = events.after(lastSeq);
    if (next.isEmpty() && head <= lastSeq) {
      return Optional.empty();
    }
    long firstKept = next.isEmpty() ? head + 1 : next.getFirst().seq();
    List<Frame> frames = new ArrayList<>();
    if (firstKept > lastSeq + 1) {
      frames.add(Frame.replayGap("expired", lastSeq, firstKept - 1));
    }
    next.stream()
        .filter(event -> viewer.sees(event.workspaceId()))
        .map(Frame::of)
        .forEach(frames::add);
    lastSeq = next.isEmpty() ? head : next.getLast().seq();
    return Optional.of(frames);
  }
}
