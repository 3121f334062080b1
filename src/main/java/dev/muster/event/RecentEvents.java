package dev.muster.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The newest events, as many as fit: numbers are consecutive, so a number is a place. */
final class RecentEvents {

  private static final int MOST = 4096;
  private static final long MOST_CHARACTERS = 32L << 20;
  private static final int MOST_IN_AN_ANSWER = 256;

  private final @Nullable RecordedEvent[] ring = new @Nullable RecordedEvent[MOST];
  private long first;
  private volatile long head;
  private long characters;

  RecentEvents(long head) {
    this.head = head;
    this.first = head + 1;
  }

  long head() {
    return head;
  }

  synchronized void add(List<RecordedEvent> events) {
    for (RecordedEvent event : events) {
      if (event.seq() != head + 1) {
        // numbers that a retention took away, or a database that was put back to another time
        forgetAll(event.seq());
      }
      makeRoomFor(event);
      ring[place(event.seq())] = event;
      characters += size(event);
      head = event.seq();
    }
  }

  /** Empty when the events after {@code seq} are not all here any more. */
  synchronized Optional<List<RecordedEvent>> after(long seq) {
    if (seq >= head) {
      return Optional.of(List.of());
    }
    if (seq < first - 1) {
      return Optional.empty();
    }
    List<RecordedEvent> events = new ArrayList<>();
    for (long next = seq + 1; next <= head && events.size() < MOST_IN_AN_ANSWER; next++) {
      events.add(at(next));
    }
    return Optional.of(events);
  }

  private void forgetAll(long next) {
    while (first <= head) {
      dropFirst();
    }
    first = next;
  }

  private void makeRoomFor(RecordedEvent event) {
    while (first <= head
        && (head - first + 1 == MOST || characters + size(event) > MOST_CHARACTERS)) {
      dropFirst();
    }
  }

  private void dropFirst() {
    characters -= size(at(first));
    ring[place(first)] = null;
    first++;
  }

  private RecordedEvent at(long seq) {
    @Nullable RecordedEvent event = ring[place(seq)];
    if (event == null) {
      throw new IllegalStateException("event " + seq + " is not kept, which indicates a bug");
    }
    return event;
  }

  private static int place(long seq) {
    return (int) (seq % MOST);
  }

  private static long size(RecordedEvent event) {
    return event.payload().text().length();
  }
}
