package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;

/**
 * Refuses callers whose valid credential lacks the required right. Call it after the target is
 * known to exist (R1.4).
 */
public final class AccessChecks {

  private AccessChecks() {}

  /** Returns the refusal of a viewer on a route that may change data. */
  public static ProblemException readsOnly() {
    return new ProblemException(ErrorCode.FORBIDDEN, "a viewer's token can only read");
  }

  public static void requireAdmin(Caller caller) {
    if (!caller.isAdmin()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "this needs the admin token, or an operator's");
    }
  }

  /** As {@link #requireAdmin}, but also admits viewers; for routes that only read. */
  public static void requireReader(Caller caller) {
    if (!caller.readsAll()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "this needs the admin token, or an operator's or a viewer's");
    }
  }

  /** As {@link #requireSpeakerFor}, but also admits viewers; for routes that only read. */
  public static void requireReaderOf(UUID workspaceId, Caller caller) {
    if (!caller.reads(workspaceId)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this token belongs to another workspace (expected: that workspace's own, the admin's, an"
              + " operator's or a viewer's)");
    }
  }

  /** Requires the role {@code ws}: the workspace's own agent, the admin or an operator. */
  public static void requireSpeakerFor(UUID workspaceId, Caller caller) {
    if (!caller.speaksFor(workspaceId)) {
      throw ofAnotherWorkspace();
    }
  }

  /** Returns the refusal of an agent that does not speak for the target workspace. */
  public static ProblemException ofAnotherWorkspace() {
    return new ProblemException(
        ErrorCode.FORBIDDEN,
        "this token belongs to another workspace (expected: that workspace's own, the admin's or an"
            + " operator's)");
  }
}
