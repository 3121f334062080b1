package dev.muster.event;

import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The newest live events, in order, for readers who keep a place of their own. A reader that goes
 * on after its place skips nothing and reads nothing twice, or learns that it has been overrun:
 * there is room for so many, and no reader holds up those who publish.
 */
@Component
public class LiveEvents {

  /** One as readers get it: its payload is written once, however many read it. */
  public record Entry(LiveEvent.Kind kind, UUID workspaceId, Instant timestamp, RawJson payload) {}

  private final JsonMapper json;
  private final LiveSubscribers watchers = new LiveSubscribers(this::forgetAll);
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final SequencedBuffer<Entry> recent =
      new SequencedBuffer<>(0, told -> told.payload().text().length());

  LiveEvents(JsonMapper json) {
    this.json = json;
  }

  /** Whether anybody wants live events; nobody need make any while not. */
  public boolean isWatched() {
    return watchers.isWatched();
  }

  /**
   * Runs {@code beginning} before the first watcher is let in, whenever there was none: what
   * happened before is no news to it. It may fail, and then there is no watcher.
   */
  public void beforeWatched(Runnable beginning) {
    watchers.beforeWatched(beginning);
  }

  /** Live events are wanted until {@link #unwatch}. */
  public void watch(Object watcher) {
    watchers.watch(watcher);
  }

  public void unwatch(Object watcher) {
    watchers.unwatch(watcher);
  }

  /**
   * Tells all readers, in the order given; what is published while nobody watches is told to
   * nobody. Many at once are cheaper than many calls.
   */
  public void publish(List<LiveEvent> events) {
    if (events.isEmpty() || !isWatched()) {
      return;
    }
    add(events.stream().map(this::told).toList());
    listeners.forEach(Runnable::run);
  }

  /** The place of the newest: who reads from here gets what happens from now on. */
  public long newest() {
    return recent.head();
  }

  /** Whether some of those after {@code place} are gone: whoever is there cannot go on. */
  public boolean isOverrun(long place) {
    return !recent.reachesBackTo(place);
  }

  /**
   * The next ones after {@code place}, oldest first, each a place further; empty when it is
   * overrun.
   */
  public Optional<List<Entry>> after(long place) {
    return recent.after(place);
  }

  /** Runs {@code listener} whenever there are new ones; it returns soon. */
  public void onNews(Runnable listener) {
    listeners.add(listener);
  }

  private Entry told(LiveEvent event) {
    RawJson payload = new RawJson(json.writeValueAsString(event.payload()));
    return new Entry(event.kind(), event.workspaceId(), event.timestamp(), payload);
  }

  private synchronized void add(List<Entry> events) {
    if (isWatched()) {
      events.forEach(recent::add);
    }
  }

  private synchronized void forgetAll() {
    recent.goOnAt(recent.head() + 1);
  }
}
