package dev.muster.live;

import dev.muster.event.LiveValue;
import dev.muster.event.LiveValues;
import java.util.List;
import java.util.Optional;

/** The last values that changed since the stream began: in a tick so many, and the latest ones. */
final class ValueSource implements Source {

  /** What a canvas gets in a tick; the rest waits, and only the latest of each. */
  static final int MOST_IN_A_TICK = 125;

  private final LiveValues values;
  private final Viewer viewer;
  private volatile long place;
  private volatile int allowance = MOST_IN_A_TICK;

  ValueSource(LiveValues values, Viewer viewer) {
    this.values = values;
    this.viewer = viewer;
    this.place = values.newest();
  }

  /** More may be sent. */
  void tick() {
    allowance = MOST_IN_A_TICK;
  }

  @Override
  public boolean hasNews() {
    return values.newest() > place;
  }

  @Override
  public Optional<List<Frame>> next() {
    int most = allowance;
    LiveValues.Reading read = values.after(place, most, this::isShown);
    if (read.place() == place) {
      return Optional.empty();
    }
    allowance = most - read.values().size();
    place = read.place();
    return Optional.of(read.values().stream().map(this::frame).toList());
  }

  private boolean isShown(LiveValue value) {
    return viewer.seesAllOf(value.workspaceId())
        || (PeerView.shows(value.kind()) && viewer.isPeer(value.workspaceId()));
  }

  private Frame frame(LiveValue value) {
    Frame frame = Frame.of(value);
    return viewer.seesAllOf(value.workspaceId()) ? frame : frame.forPeers();
  }
}
