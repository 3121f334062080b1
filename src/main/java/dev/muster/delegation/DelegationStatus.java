package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * How a delegation stands, and what may follow what (R8.1). A test holds every condition of a
 * statement and of the schema against this life cycle.
 */
enum DelegationStatus {
  QUEUED,
  DISPATCHED,
  IN_PROGRESS,
  /** A warning: its callee fell silent. */
  STUCK,
  COMPLETED,
  FAILED;

  private static final Map<DelegationStatus, Set<DelegationStatus>> NEXT =
      Map.of(
          QUEUED, Set.of(DISPATCHED, IN_PROGRESS, COMPLETED, FAILED, STUCK),
          DISPATCHED, Set.of(QUEUED, IN_PROGRESS, COMPLETED, FAILED, STUCK),
          IN_PROGRESS, Set.of(COMPLETED, FAILED, STUCK),
          STUCK, Set.of(QUEUED, IN_PROGRESS, COMPLETED, FAILED),
          COMPLETED, Set.of(),
          FAILED, Set.of());

  boolean mayBecome(DelegationStatus next) {
    return Objects.requireNonNull(NEXT.get(this)).contains(next);
  }

  boolean isInFlight() {
    return !Objects.requireNonNull(NEXT.get(this)).isEmpty();
  }

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Of a stored word. */
  static DelegationStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
