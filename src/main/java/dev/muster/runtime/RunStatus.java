package dev.muster.runtime;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The status of a run (R9.3). */
enum RunStatus {
  RUNNING,
  SUCCEEDED,
  /** Ended with an exit code other than 0. */
  FAILED,
  /** Ended with an error event other than a cancellation. */
  ERRORED,
  CANCELLED,
  /** The workspace went offline or was removed during the run, or the task started again. */
  LOST;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
