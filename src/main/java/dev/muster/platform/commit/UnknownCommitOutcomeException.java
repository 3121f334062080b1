package dev.muster.platform.commit;

/**
 * A transaction failed at or after its COMMIT: whether it is stored is unknown, so it is never run
 * again.
 */
public final class UnknownCommitOutcomeException extends RuntimeException {

  public UnknownCommitOutcomeException(Throwable cause) {
    super("the outcome of a commit is unknown", cause);
  }
}
