package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The statuses of a delegation and their allowed transitions (R8.1). A test checks the conditions
 * of all statements and of the schema against them.
 */
enum DelegationStatus {
  QUEUED,
  DISPATCHED,
  IN_PROGRESS,
  /** A warning: the callee has stopped sending heartbeats. */
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

  /** Parses a stored word. */
  static DelegationStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
