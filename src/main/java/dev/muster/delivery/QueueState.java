package dev.muster.delivery;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** How a queued message stands; it moves between the first two until it ends in one of the rest. */
public enum QueueState {
  WAITING,
  DELIVERING,
  DELIVERED,
  FAILED,
  EXPIRED,
  DROPPED;

  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isEnd() {
    return this != WAITING && this != DELIVERING;
  }

  /** Of a stored word. */
  static QueueState of(String wire) {
    return Arrays.stream(values())
        .filter(state -> state.wire().equals(wire))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(wire + " is no state of the queue"));
  }
}
