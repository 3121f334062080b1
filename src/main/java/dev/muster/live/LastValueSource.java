package dev.muster.live;

import dev.muster.event.LastValue;
import dev.muster.event.LastValues;
import java.util.List;
import java.util.Optional;

/**
 * Reads the last values that changed since the stream began. It reads at most {@link #MAX_PER_TICK}
 * per tick.
 */
final class LastValueSource implements Source {

  /** The most values per tick of 250 ms. The others wait, and only the latest of each is sent. */
  static final int MAX_PER_TICK = 125;

  private final LastValues values;
  private final EventAudience audience;
  private volatile long place;
  private volatile int allowance = MAX_PER_TICK;

  LastValueSource(LastValues values, EventAudience audience) {
    this.values = values;
    this.audience = audience;
    this.place = values.newest();
  }

  /** Renews the allowance for the next tick. */
  @Override
  public void tick() {
    allowance = MAX_PER_TICK;
  }

  @Override
  public boolean hasMore() {
    return values.newest() > place;
  }

  @Override
  public Optional<List<Frame>> next() {
    int most = allowance;
    LastValues.Reading read = values.after(place, most, this::isShown);
    if (read.place() == place) {
      return Optional.empty();
    }
    allowance = most - read.values().size();
    place = read.place();
    return Optional.of(read.values().stream().map(this::frame).toList());
  }

  private boolean isShown(LastValue value) {
    return audience.seesAllOf(value.workspaceId())
        || (PeerView.shows(value.kind()) && audience.isPeer(value.workspaceId()));
  }

  private Frame frame(LastValue value) {
    Frame frame = Frame.of(value);
    return audience.seesAllOf(value.workspaceId()) ? frame : frame.forPeers();
  }
}
