package dev.muster.message.store;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The writer of an activity row (R6.0). */
public enum ActivitySource {
  CANVAS_USER,
  PEER_AGENT,
  SYSTEM,
  SELF;

  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a stored word. */
  public static ActivitySource of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
