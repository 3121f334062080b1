package dev.muster.event;

import java.util.List;
import java.util.Optional;

/** The newest recorded events, by their numbers. */
final class RecentEvents {

  private final SequencedBuffer<RecordedEvent> series;

  RecentEvents(long head) {
    this.series = new SequencedBuffer<>(head, event -> event.payload().text().length());
  }

  long head() {
    return series.head();
  }

  /** Whoever reads on meanwhile sees a beginning of them. */
  void add(List<RecordedEvent> events) {
    for (RecordedEvent event : events) {
      if (event.seq() != series.head() + 1) {
        // numbers that a retention took away, or a database that was put back to another time
        series.goOnAt(event.seq());
      }
      series.add(event);
    }
  }

  boolean reachesBackTo(long seq) {
    return series.reachesBackTo(seq);
  }

  /** Empty when the events after {@code seq} are not all here any more. */
  Optional<List<RecordedEvent>> after(long seq) {
    return series.after(seq);
  }
}
