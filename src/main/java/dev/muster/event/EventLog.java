package dev.muster.event;

import dev.muster.platform.http.Owner;
import dev.muster.platform.http.Quota;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Serves the recorded events of all replicas in {@code seq} order.
 *
 * <p>The newest events come from memory, older ones from the database. Each reader keeps its own
 * position. A reader that continues after the last {@code seq} it read skips no event and reads
 * none twice.
 */
@Component
public class EventLog {

  private static final int BATCH_SIZE = 500;
  private static final int ROWS_OF_THE_PAST = 100;

  /** Bounds the memory that a slow reader holds until its events are sent. */
  private static final int MAX_PAST_BYTES = 256 * 1024;

  private static final int MAX_READERS_OF_THE_PAST = 4;

  /** Keeps the newest recorded events in memory, by {@code seq}. */
  private static final class RecentEvents {

    private final SequencedBuffer<RecordedEvent> series;

    RecentEvents(long head) {
      this.series = new SequencedBuffer<>(head, event -> event.payload().text().length());
    }

    long head() {
      return series.head();
    }

    /** Adds events one at a time; a concurrent reader sees a prefix of them. */
    void add(List<RecordedEvent> events) {
      for (RecordedEvent event : events) {
        if (event.seq() != series.head() + 1) {
          // Retention deleted the numbers between, or the database was restored to another time.
          series.restartAt(event.seq());
        }
        series.add(event);
      }
    }

    boolean reachesBackTo(long seq) {
      return series.reachesBackTo(seq);
    }

    /** Returns the events after {@code seq}; empty when some of them are no longer in memory. */
    Optional<List<RecordedEvent>> after(long seq) {
      return series.after(seq);
    }
  }

  /** Updates state in memory from the recorded events. */
  public interface RecordedEventListener {

    /**
     * Processes all new events of all replicas, in order, before any reader of {@link EventLog}.
     *
     * <p>If the call fails, it is repeated with the same events: with all of them after an outage
     * of the database, else with parts, and an event that fails by itself is passed over.
     */
    void follow(List<RecordedEvent> events);
  }

  private final EventRepository repository;
  private final List<RecordedEventListener> followers;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Quota readersOfThePast = new Quota(MAX_READERS_OF_THE_PAST);
  private final FailingUnits failing;
  private final RecentEvents recent;

  EventLog(
      EventRepository repository, List<RecordedEventListener> followers, MeterRegistry metrics) {
    this.failing = new FailingUnits("event-publisher", metrics);
    this.repository = repository;
    this.followers = followers;
    this.recent = new RecentEvents(repository.lastSeq());
  }

  /** Returns the {@code seq} of the newest event known to this replica; 0 before the first. */
  public long head() {
    return recent.head();
  }

  /**
   * Returns whether this number was ever assigned; queries the database before it returns false.
   */
  public boolean hasReached(long seq) {
    if (seq > head()) {
      catchUp();
    }
    return seq <= head();
  }

  /**
   * Returns the next events strictly after {@code seq}, oldest first; empty when there is none yet.
   *
   * <p>May query the database, in the owner's turn. Numbers are consecutive, so a missing number
   * belongs to a deleted event.
   */
  public List<RecordedEvent> after(Owner owner, long seq) {
    return recent
        .after(seq)
        .orElseGet(() ->
            readPast(
                owner,
                () ->
                    repository.after(
                        seq,
                        Optional.empty(),
                        Optional.empty(),
                        ROWS_OF_THE_PAST,
                        MAX_PAST_BYTES)));
  }

  /** Returns whether all events after {@code seq} are in memory. */
  public boolean remembersAfter(long seq) {
    return recent.reachesBackTo(seq);
  }

  /**
   * Holds events of one workspace, oldest first.
   *
   * @param firstKept the {@code seq} of the first event of any workspace after the requested one
   *     that still exists; {@code head + 1} when there is none
   * @param isWhole whether {@code events} holds every event of the workspace that existed at the
   *     time of the read
   */
  public record Past(List<RecordedEvent> events, long firstKept, boolean isWhole) {}

  /**
   * Reads the next events of one workspace strictly after {@code seq} from the database, in the
   * owner's turn.
   *
   * <p>The cost does not grow with the events of other workspaces.
   */
  public Past pastOf(Owner owner, UUID workspaceId, long seq) {
    return readPast(
        owner,
        () -> {
          long head = head();
          List<RecordedEvent> own =
              repository.after(
                  seq,
                  Optional.of(workspaceId),
                  Optional.empty(),
                  ROWS_OF_THE_PAST,
                  MAX_PAST_BYTES);
          // Read after the events: an event deleted in between was read already or is reported as a
          // gap.
          List<RecordedEvent> first =
              repository.after(seq, Optional.empty(), Optional.empty(), 1, MAX_PAST_BYTES);
          return new Past(
              own,
              first.isEmpty() ? head + 1 : first.getFirst().seq(),
              own.size() < ROWS_OF_THE_PAST && !mayBeCut(own, MAX_PAST_BYTES));
        });
  }

  /** Registers a listener that runs after new events arrive; it must return quickly. */
  public void onNewEvents(Runnable listener) {
    listeners.add(listener);
  }

  /** Loads the events that any replica published since the last call. */
  synchronized void catchUp() {
    List<RecordedEvent> newEvents;
    do {
      newEvents =
          repository.after(
              recent.head(),
              Optional.empty(),
              Optional.empty(),
              BATCH_SIZE,
              EventRepository.MAX_PAGE_BYTES);
      if (!newEvents.isEmpty()) {
        for (RecordedEventListener follower : followers) {
          failing.passAll(
              newEvents,
              event -> follower.getClass().getSimpleName() + " with event " + event.seq(),
              follower::follow);
        }
        recent.add(newEvents);
        listeners.forEach(Runnable::run);
      }
    } while (newEvents.size() == BATCH_SIZE || mayBeCut(newEvents, EventRepository.MAX_PAGE_BYTES));
  }

  /** Returns whether the byte limit may have cut the page; a character takes at most four bytes. */
  private static boolean mayBeCut(List<RecordedEvent> page, int maxBytes) {
    long characters = page.stream().mapToLong(event -> event.payload().text().length()).sum();
    return 4 * characters >= maxBytes;
  }

  /**
   * Limits concurrent reads, so that many reconnecting readers leave connections for heartbeats,
   * and those of one owner leave reads to others.
   */
  private <T> T readPast(Owner owner, Supplier<T> read) {
    return readersOfThePast.runUninterruptibly(owner, read);
  }
}
