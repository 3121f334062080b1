package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;

/**
 * The refusals of callers whose credential is good but not for this; asked after the target is
 * known to exist (R1.4).
 */
public final class Access {

  private Access() {}

  public static void requireAdmin(Caller caller) {
    if (!caller.isAdmin()) {
      throw new ProblemException(ErrorCode.FORBIDDEN, "this wants the admin token");
    }
  }

  /** The role {@code ws}: the workspace's own agent, or the admin. */
  public static void requireSpeakerFor(UUID workspaceId, Caller caller) {
    if (!caller.speaksFor(workspaceId)) {
      throw new ProblemException(ErrorCode.FORBIDDEN, "this token belongs to another workspace");
    }
  }
}
