package dev.muster.delivery;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * The state of a queued message. It alternates between {@link #WAITING} and {@link #DELIVERING}
 * until it ends in one of the others. A message that ended undelivered can be queued again.
 */
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

  /** Parses a stored value. */
  static QueueState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
