package dev.muster.event;

import java.util.List;

/** Keeps something in memory true to the recorded events. */
public interface RecordedEventListener {

  /**
   * Called with every new event of all replicas, in order, before any reader of the {@link
   * EventLog} sees it. A failure is tried again with the same events.
   */
  void follow(List<RecordedEvent> events);
}
