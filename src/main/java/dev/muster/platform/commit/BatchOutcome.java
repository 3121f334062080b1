package dev.muster.platform.commit;

/** What became of one value of a batch. */
public sealed interface BatchOutcome<R> {

  /** Committed. */
  record Done<R>(R result) implements BatchOutcome<R> {}

  /** Its row was locked by somebody else: not tried, to go with the next batch. */
  record Locked<R>() implements BatchOutcome<R> {}

  /** Not known to be stored, and not to be tried again. */
  record Failed<R>(RuntimeException cause) implements BatchOutcome<R> {}
}
