package dev.muster.event;

import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps the newest live events in order; each reader keeps its own position.
 *
 * <p>A reader that continues after its position skips no event and reads none twice, unless it is
 * overrun. The buffer is bounded and drops its oldest events, so no reader blocks publishers.
 */
@Component
public class LiveEvents {

  /** A live event as readers get it; its payload is serialized once for all readers. */
  public record Entry(LiveEvent.Kind kind, UUID workspaceId, Instant timestamp, RawJson payload) {}

  private final JsonMapper json;
  private final LiveSubscribers subscribers = new LiveSubscribers(this::forgetAll);
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final SequencedBuffer<Entry> recent =
      new SequencedBuffer<>(0, event -> event.payload().text().length());

  LiveEvents(JsonMapper json) {
    this.json = json;
  }

  /** Returns whether there is any subscriber; without one, producers need not make live events. */
  public boolean isWatched() {
    return subscribers.isWatched();
  }

  /**
   * Registers an action to run before the first subscriber is added, whenever there was none.
   *
   * <p>The action records the current state, because earlier changes are not reported to that
   * subscriber. If the action fails, the subscriber is not added.
   */
  public void beforeWatched(Runnable beginning) {
    subscribers.beforeWatched(beginning);
  }

  /** Adds a subscriber, until {@link #unwatch}. */
  public void watch(Object watcher) {
    subscribers.watch(watcher);
  }

  public void unwatch(Object watcher) {
    subscribers.unwatch(watcher);
  }

  /**
   * Publishes live events to all readers in the given order; drops them without a subscriber.
   *
   * <p>One call with many events costs less than many calls.
   */
  public void publish(List<LiveEvent> events) {
    if (events.isEmpty() || !isWatched()) {
      return;
    }
    add(events.stream().map(this::toEntry).toList());
    listeners.forEach(Runnable::run);
  }

  /** Returns the position of the newest event; a reader that starts here gets only later events. */
  public long newest() {
    return recent.head();
  }

  /**
   * Returns whether events after {@code place} were dropped, so that its reader cannot continue.
   */
  public boolean isOverrun(long place) {
    return !recent.reachesBackTo(place);
  }

  /**
   * Returns the next events after {@code place}, oldest first; empty when the reader is overrun.
   *
   * <p>Each event advances the position by one.
   */
  public Optional<List<Entry>> after(long place) {
    return recent.after(place);
  }

  /** Registers a listener that runs after new events are published; it must return quickly. */
  public void onNewEvents(Runnable listener) {
    listeners.add(listener);
  }

  private Entry toEntry(LiveEvent event) {
    RawJson payload = new RawJson(json.writeValueAsString(event.payload()));
    return new Entry(event.kind(), event.workspaceId(), event.timestamp(), payload);
  }

  private synchronized void add(List<Entry> events) {
    if (isWatched()) {
      events.forEach(recent::add);
    }
  }

  private synchronized void forgetAll() {
    recent.restartAt(recent.head() + 1);
  }
}
