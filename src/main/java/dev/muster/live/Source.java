package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.event.LastValue;
import dev.muster.event.LastValues;
import dev.muster.event.LiveEvents;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.http.Owner;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads one kind of event for a stream, and keeps the stream's position. */
sealed interface Source {

  /** Whether there are events after the position; safe for any thread. */
  boolean hasMore();

  /**
   * Reads the next frames and advances the position; only the serving thread calls it. The list may
   * be empty, when no event read is shown. The result is empty when the position did not advance.
   */
  Optional<List<Frame>> next();

  /** Renews what may be read until the next tick. */
  default void tick() {}

  /** Whether events after the position are lost, so that it never advances again. */
  default boolean isOverrun() {
    return false;
  }

  /**
   * Reads the recorded events after a position; missing ones become one {@code REPLAY_GAP}. It
   * shows all events of workspaces that the audience sees in full. Of peers it shows only events
   * after the stream opened (R10.3).
   */
  final class RecordedSource implements Source {

    private final EventLog events;
    private final Owner owner;
    private final EventAudience audience;
    private final InstantSource clock;
    private final long openedAt;
    private volatile long lastSeq;

    /**
     * @param owner to whose share the reads of past events count
     */
    RecordedSource(
        EventLog events, Owner owner, EventAudience audience, long after, InstantSource clock) {
      this.events = events;
      this.owner = owner;
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
      List<RecordedEvent> next = events.after(owner, lastSeq);
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
     * Reads only the workspace's own events up to the opening. Earlier events of peers are not
     * shown.
     */
    private List<Frame> nextOfOwnPast(UUID self) {
      EventLog.Past past = events.pastOf(owner, self, lastSeq);
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

  /**
   * Reads the recorded events of a console. When there were none for a while, it adds a tick, so
   * that a page can tell a quiet fleet from a server that hangs (R17.1). The first tick follows the
   * events that the console has missed.
   */
  final class TickingSource implements Source {

    private final RecordedSource events;
    private final Duration quiet;
    private volatile long tickAt = System.nanoTime();

    TickingSource(RecordedSource events, Duration quiet) {
      this.events = events;
      this.quiet = quiet;
    }

    @Override
    public boolean hasMore() {
      return events.hasMore() || isTickDue();
    }

    @Override
    public Optional<List<Frame>> next() {
      Optional<List<Frame>> next = events.next();
      if (next.isEmpty() && isTickDue()) {
        next = Optional.of(List.of(Frame.tick(events.lastSeq, events.clock.instant())));
      }
      if (next.isPresent() && !next.get().isEmpty()) {
        tickAt = System.nanoTime() + quiet.toNanos();
      }
      return next;
    }

    private boolean isTickDue() {
      return System.nanoTime() - tickAt >= 0;
    }
  }

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
     * Whether events after the position have left the buffer. The position then never advances
     * again.
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

  /**
   * Reads the last values that changed since the stream began. It reads at most {@link
   * #MAX_PER_TICK} per tick.
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
}
