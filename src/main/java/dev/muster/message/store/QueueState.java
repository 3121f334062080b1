package dev.muster.message.store;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * The state of a queued message. It alternates between {@link #WAITING} and {@link #DELIVERING}
 * until it ends in one of the others. A message that ended undelivered can be queued again.
 */
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

  /** Parses a stored value. */
  public static QueueState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
