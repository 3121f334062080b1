package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;

/** A credential with which something long was begun, looked at again while it lasts (R1.6). */
public final class CredentialRecheck {

  public enum Result {
    VALID,
    REVOKED,
    /** The database cannot tell: show nothing until it can. */
    UNKNOWN
  }

  private final Credentials credentials;
  private final String authorization;
  private final Caller caller;

  /** {@code authorization} is the header by which {@code caller} was recognised. */
  public CredentialRecheck(Credentials credentials, String authorization, Caller caller) {
    this.credentials = credentials;
    this.authorization = authorization;
    this.caller = caller;
  }

  public Caller caller() {
    return caller;
  }

  /**
   * Refuses with {@code UNAUTHENTICATED} when the credential is not good any more, and with {@code
   * UNAVAILABLE} when nobody can tell.
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
