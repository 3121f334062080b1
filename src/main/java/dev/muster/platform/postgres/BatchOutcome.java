package dev.muster.platform.postgres;

/** Reports how one value of a batch ended. */
public sealed interface BatchOutcome<R> {

  /** The value is committed. */
  record Done<R>(R result) implements BatchOutcome<R> {}

  /**
   * The value was not tried and joins the next batch: another transaction locked its row, or
   * another value of the batch was tried in its place.
   */
  record Locked<R>() implements BatchOutcome<R> {}

  /** The value failed or its commit outcome is unknown; it is not tried again. */
  record Failed<R>(RuntimeException cause) implements BatchOutcome<R> {}
}
