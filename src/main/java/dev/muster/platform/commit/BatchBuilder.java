package dev.muster.platform.commit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A batch while it is chosen, from the front of the line to the first value it has no room for. */
final class BatchBuilder<T, R> {

  static final int MAX_VALUES = 256;

  private final BatchLimits<T> limits;
  private final List<PendingSubmission<T, R>> chosen = new ArrayList<>();
  private final Set<Object> keys = new HashSet<>();
  private long weight;

  BatchBuilder(BatchLimits<T> limits) {
    this.limits = limits;
  }

  /**
   * Takes it, or leaves it to a later batch for its key's sake; false when there is no room for it.
   * Nothing behind that one may be offered then: a light value would overtake a heavy one of its
   * key.
   */
  boolean offer(PendingSubmission<T, R> waiter) {
    if (!limits.manyOfAKey() && keys.contains(waiter.key)) {
      return true;
    }
    if (!hasRoomFor(waiter)) {
      return false;
    }
    keys.add(waiter.key);
    chosen.add(waiter);
    weight += waiter.weight;
    return true;
  }

  List<PendingSubmission<T, R>> chosen() {
    return chosen;
  }

  /** A value that takes a rider along is alone: the rider is stored if and only if it is. */
  private boolean hasRoomFor(PendingSubmission<T, R> waiter) {
    return chosen.isEmpty()
        || (waiter.rider == null
            && chosen.getFirst().rider == null
            && chosen.size() < MAX_VALUES
            && waiter.weight <= limits.mostWeight() - weight);
  }
}
