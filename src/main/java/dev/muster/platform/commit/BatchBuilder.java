package dev.muster.platform.commit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Selects queued values for one batch, in queue order, until one does not fit. */
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
   * Adds a value, or skips it when its key allows only one value per batch.
   *
   * <p>Returns false when the value does not fit. The caller must then offer no later value: a
   * light value would overtake a heavy one of the same key.
   */
  boolean offer(PendingSubmission<T, R> submission) {
    if (!limits.manyOfAKey() && keys.contains(submission.key)) {
      return true;
    }
    if (!hasRoomFor(submission)) {
      return false;
    }
    keys.add(submission.key);
    chosen.add(submission);
    weight += submission.weight;
    return true;
  }

  List<PendingSubmission<T, R>> chosen() {
    return chosen;
  }

  /** Keeps a value with a {@link CommitAttachment} alone in its batch: both commit or neither. */
  private boolean hasRoomFor(PendingSubmission<T, R> submission) {
    return chosen.isEmpty()
        || (submission.rider == null
            && chosen.getFirst().rider == null
            && chosen.size() < MAX_VALUES
            && submission.weight <= limits.mostWeight() - weight);
  }
}
