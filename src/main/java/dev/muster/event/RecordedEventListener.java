package dev.muster.event;

import java.util.List;

/** Updates state in memory from the recorded events. */
public interface RecordedEventListener {

  /**
   * Processes all new events of all replicas, in order, before any reader of {@link EventLog}.
   *
   * <p>If the call fails, it is repeated with the same events.
   */
  void follow(List<RecordedEvent> events);
}
