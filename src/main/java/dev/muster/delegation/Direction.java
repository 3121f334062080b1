package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Which side of a delegation a workspace is on. */
enum Direction {
  SENT,
  RECEIVED;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
