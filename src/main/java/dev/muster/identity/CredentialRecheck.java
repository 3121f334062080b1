package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** Re-checks the credential of a long-running request or stream (R1.6). */
public final class CredentialRecheck {

  /** The outcome of a re-check. */
  public enum Result {
    VALID,
    REVOKED,
    /** The database does not answer; the caller must show nothing until it does. */
    UNKNOWN
  }

  private final Credentials credentials;
  private final @Nullable String authorization;
  private final Caller caller;

  /** Creates the re-check; {@code authorization} is what was presented for {@code caller}. */
  public CredentialRecheck(Credentials credentials, @Nullable String authorization, Caller caller) {
    this.credentials = credentials;
    this.authorization = authorization;
    this.caller = caller;
  }

  public Caller caller() {
    return caller;
  }

  /**
   * Requires that the credential is still valid. Refuses an invalid one with {@code
   * UNAUTHENTICATED}, and with {@code UNAVAILABLE} when the database does not answer.
   */
  public void requireValid() {
    if (!credentials.callerOf(authorization).equals(caller)) {
      throw Credentials.unknown();
    }
  }

  public Result check() {
    try {
      return credentials.callerOf(authorization).equals(caller) ? Result.VALID : Result.REVOKED;
    } catch (ProblemException refusal) {
      return refusal.code() == ErrorCode.UNAUTHENTICATED ? Result.REVOKED : Result.UNKNOWN;
    } catch (RuntimeException databaseFailure) {
      return Result.UNKNOWN;
    }
  }
}
