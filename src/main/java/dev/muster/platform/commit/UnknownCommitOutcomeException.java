package dev.muster.platform.commit;

/**
 * Reports that a transaction failed at or after its COMMIT.
 *
 * <p>Whether it is stored is unknown, so it must not be run again.
 */
public final class UnknownCommitOutcomeException extends RuntimeException {

  public UnknownCommitOutcomeException(Throwable cause) {
    super("the outcome of a commit is unknown", cause);
  }
}
