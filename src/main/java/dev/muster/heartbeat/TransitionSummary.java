package dev.muster.heartbeat;

import org.jspecify.annotations.Nullable;

/**
 * What became of a sweep's batches; {@code firstFailure} is set when some failed, whose workspaces
 * the next sweep tries again.
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
