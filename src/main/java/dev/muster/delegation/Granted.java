package dev.muster.delegation;

/** What became of a {@link Wish}. */
sealed interface Granted {

  /** It stands as wanted; {@code moved} tells whether its status is another one now. */
  record Done(DelegationStatus status, boolean moved) implements Granted {}

  /** The life cycle forbids it (R8.1). */
  record Invalid(DelegationStatus status) implements Granted {}

  /** There is no such delegation, or it is none of this claimant's. */
  record Unknown() implements Granted {}
}
