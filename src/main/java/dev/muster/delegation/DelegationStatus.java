package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How a delegation stands; {@link LifeCycle} says what may follow what. */
enum DelegationStatus {
  QUEUED,
  DISPATCHED,
  IN_PROGRESS,

  /** A warning: its callee fell silent. */
  STUCK,
  COMPLETED,
  FAILED;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isInFlight() {
    return LifeCycle.isInFlight(this);
  }

  /** Of a stored word. */
  static DelegationStatus of(String wire) {
    return ofWord(wire)
        .orElseThrow(() -> new IllegalArgumentException(wire + " is no status of a delegation"));
  }

  static Optional<DelegationStatus> ofWord(String word) {
    return Arrays.stream(values()).filter(status -> status.wire().equals(word)).findFirst();
  }
}
