package dev.muster.event;

import java.util.List;
import java.util.Optional;

/** Keeps the newest recorded events in memory, by {@code seq}. */
final class RecentEvents {

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
        series.goOnAt(event.seq());
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
