package dev.muster.runtime;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a run is, or how it ended (R9.3). */
enum RunStatus {
  RUNNING,
  SUCCEEDED,
  /** It ended with an exit code other than 0. */
  FAILED,
  /** It could not be brought to its end. */
  ERRORED,
  CANCELLED,
  /** Its workspace went away while it ran, or the task began anew. */
  LOST;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
