package dev.muster.event;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * The recorded events of all replicas, in order, for readers who keep a place of their own: the
 * newest from memory, older ones from the database. A reader that goes on after the last {@code
 * seq} it read skips nothing and reads nothing twice.
 */
@Component
public class EventLog {

  private static final int ROWS_IN_A_LOOK = 500;
  private static final int ROWS_OF_THE_PAST = 100;

  /** A slow reader keeps what it was given until it is sent. */
  private static final int MAX_PAST_BYTES = 256 * 1024;

  private static final int READERS_OF_THE_PAST = 4;

  private final EventRepository repository;
  private final List<RecordedEventListener> followers;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Semaphore readersOfThePast = new Semaphore(READERS_OF_THE_PAST);
  private final RecentEvents recent;

  EventLog(EventRepository repository, List<RecordedEventListener> followers) {
    this.repository = repository;
    this.followers = followers;
    this.recent = new RecentEvents(repository.lastSeq());
  }

  /** The number of the newest event that is known here; 0 before the first. */
  public long head() {
    return recent.head();
  }

  /** Whether there is, or was, an event of this number; looks again before it says no. */
  public boolean hasReached(long seq) {
    if (seq > head()) {
      catchUp();
    }
    return seq <= head();
  }

  /**
   * The next events strictly after {@code seq}, oldest first; empty when there is none yet. May ask
   * the database. Numbers are consecutive, so one that is missing belongs to an event that is no
   * longer kept.
   */
  public List<RecordedEvent> after(long seq) {
    return recent
        .after(seq)
        .orElseGet(() ->
            readPast(() ->
                repository.after(
                    seq, Optional.empty(), Optional.empty(), ROWS_OF_THE_PAST, MAX_PAST_BYTES)));
  }

  /** Whether the events after {@code seq} are in memory. */
  public boolean remembersAfter(long seq) {
    return recent.reachesBackTo(seq);
  }

  /**
   * Events of one workspace, oldest first.
   *
   * @param firstKept the number of the first event of all that is still there
   * @param isWhole whether these are all that there were when they were read
   */
  public record Past(List<RecordedEvent> events, long firstKept, boolean isWhole) {}

  /**
   * The next events of one workspace strictly after {@code seq}, from the database: the cost of it
   * does not grow with what others do.
   */
  public Past pastOf(UUID workspaceId, long seq) {
    return readPast(() -> {
      long head = head();
      List<RecordedEvent> own =
          repository.after(
              seq, Optional.of(workspaceId), Optional.empty(), ROWS_OF_THE_PAST, MAX_PAST_BYTES);
      // read after the events: what is deleted in between was read, or is told of as a gap
      List<RecordedEvent> first =
          repository.after(seq, Optional.empty(), Optional.empty(), 1, MAX_PAST_BYTES);
      return new Past(
          own,
          first.isEmpty() ? head + 1 : first.getFirst().seq(),
          own.size() < ROWS_OF_THE_PAST && !mayBeCut(own, MAX_PAST_BYTES));
    });
  }

  /** Runs {@code listener} whenever there are new events; it returns soon. */
  public void onNews(Runnable listener) {
    listeners.add(listener);
  }

  /** Takes in what was published since the last time, by whichever replica. */
  synchronized void catchUp() {
    List<RecordedEvent> news;
    do {
      news =
          repository.after(
              recent.head(),
              Optional.empty(),
              Optional.empty(),
              ROWS_IN_A_LOOK,
              EventRepository.MAX_PAGE_BYTES);
      if (!news.isEmpty()) {
        for (RecordedEventListener follower : followers) {
          follower.follow(news);
        }
        recent.add(news);
        listeners.forEach(Runnable::run);
      }
    } while (news.size() == ROWS_IN_A_LOOK || mayBeCut(news, EventRepository.MAX_PAGE_BYTES));
  }

  /** A character has at most four bytes. */
  private static boolean mayBeCut(List<RecordedEvent> page, int maxBytes) {
    long characters = page.stream().mapToLong(event -> event.payload().text().length()).sum();
    return 4 * characters >= maxBytes;
  }

  /** A crowd that comes back at once must leave connections to the beats. */
  private <T> T readPast(Supplier<T> read) {
    readersOfThePast.acquireUninterruptibly();
    try {
      return read.get();
    } finally {
      readersOfThePast.release();
    }
  }
}
