package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;

/** The credential with which a stream was opened, to be looked at again while it is open (R1.6). */
final class Standing {

  enum Verdict {
    GOOD,
    REVOKED,
    /** The database cannot tell: nothing is shown until it can. */
    UNKNOWN
  }

  private final Credentials credentials;
  private final String authorization;
  private final Caller caller;

  Standing(Credentials credentials, String authorization, Caller caller) {
    this.credentials = credentials;
    this.authorization = authorization;
    this.caller = caller;
  }

  Caller caller() {
    return caller;
  }

  Verdict now() {
    try {
      return credentials.callerOf(authorization).equals(caller) ? Verdict.GOOD : Verdict.REVOKED;
    } catch (ProblemException refusal) {
      return refusal.code() == ErrorCode.UNAUTHENTICATED ? Verdict.REVOKED : Verdict.UNKNOWN;
    } catch (RuntimeException databaseFailure) {
      return Verdict.UNKNOWN;
    }
  }
}
