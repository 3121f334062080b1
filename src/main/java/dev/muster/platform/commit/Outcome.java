package dev.muster.platform.commit;

/** What became of one value of a batch. */
public sealed interface Outcome<R> {

  /** Committed. */
  record Done<R>(R result) implements Outcome<R> {}

  /** Its row was locked by somebody else: not tried, to go with the next batch. */
  record Busy<R>() implements Outcome<R> {}

  /** Not known to be stored, and not to be tried again. */
  record Failed<R>(RuntimeException cause) implements Outcome<R> {}
}
