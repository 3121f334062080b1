package dev.muster.delivery;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a queued message stands; it moves between the first two until it ends in one of the rest. */
enum QueueState {
  WAITING,
  DELIVERING,
  DELIVERED,
  FAILED,
  EXPIRED,
  DROPPED;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isEnd() {
    return this != WAITING && this != DELIVERING;
  }

  /** Of a stored word. */
  static QueueState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
