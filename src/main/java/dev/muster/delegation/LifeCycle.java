package dev.muster.delegation;

import static dev.muster.delegation.DelegationStatus.COMPLETED;
import static dev.muster.delegation.DelegationStatus.DISPATCHED;
import static dev.muster.delegation.DelegationStatus.FAILED;
import static dev.muster.delegation.DelegationStatus.IN_PROGRESS;
import static dev.muster.delegation.DelegationStatus.QUEUED;
import static dev.muster.delegation.DelegationStatus.STUCK;

import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The life of a delegation (R8.1), in one place: what may follow what. A test holds every condition
 * of a statement and of the schema against it.
 */
final class LifeCycle {

  private static final Map<DelegationStatus, Set<DelegationStatus>> NEXT =
      Map.of(
          QUEUED, Set.of(DISPATCHED, IN_PROGRESS, COMPLETED, FAILED, STUCK),
          DISPATCHED, Set.of(QUEUED, IN_PROGRESS, COMPLETED, FAILED, STUCK),
          IN_PROGRESS, Set.of(COMPLETED, FAILED, STUCK),
          STUCK, Set.of(QUEUED, IN_PROGRESS, COMPLETED, FAILED),
          COMPLETED, Set.of(),
          FAILED, Set.of());

  private LifeCycle() {}

  static boolean allows(DelegationStatus from, DelegationStatus to) {
    return Objects.requireNonNull(NEXT.get(from)).contains(to);
  }

  static boolean isInFlight(DelegationStatus status) {
    return !Objects.requireNonNull(NEXT.get(status)).isEmpty();
  }
}
