package dev.muster.heartbeat;

import org.jspecify.annotations.Nullable;

/**
 * The result of a sweep's batches.
 *
 * @param firstFailure null unless a batch failed; the next sweep retries the workspaces of failed
 *     batches
 */
record TransitionSummary(
    int moved, int batches, int failedBatches, @Nullable RuntimeException firstFailure) {

  static final TransitionSummary NONE = new TransitionSummary(0, 0, 0, null);

  void throwIfABatchFailed() {
    if (firstFailure != null) {
      throw new IllegalStateException(
          "%d of %d batches failed: %s".formatted(failedBatches, batches, firstFailure),
          firstFailure);
    }
  }
}
