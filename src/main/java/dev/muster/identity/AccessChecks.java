package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;

/**
 * The refusals of callers whose credential is good but not for this; asked after the target is
 * known to exist (R1.4).
 */
public final class AccessChecks {

  private AccessChecks() {}

  /** The refusal of a viewer where something may change. */
  public static ProblemException readsOnly() {
    return new ProblemException(
        ErrorCode.FORBIDDEN, "a viewer's token reads; it cannot be used for this");
  }

  public static void requireAdmin(Caller caller) {
    if (!caller.isAdmin()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "this wants the admin token, or an operator's");
    }
  }

  /** As {@link #requireAdmin}, for reads, which viewers may as well. */
  public static void requireReader(Caller caller) {
    if (!caller.readsAll()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "this wants the admin token, or an operator's or a viewer's");
    }
  }

  /** As {@link #requireSpeakerFor}, for reads, which viewers may as well. */
  public static void requireReaderOf(UUID workspaceId, Caller caller) {
    if (!caller.reads(workspaceId)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this token belongs to another workspace (expected: that workspace's own, the admin's, an"
              + " operator's or a viewer's)");
    }
  }

  /** The role {@code ws}: the workspace's own agent, the admin, or an operator. */
  public static void requireSpeakerFor(UUID workspaceId, Caller caller) {
    if (!caller.speaksFor(workspaceId)) {
      throw ofAnotherWorkspace();
    }
  }

  /** The refusal of another workspace's agent where only those may who speak for this one. */
  public static ProblemException ofAnotherWorkspace() {
    return new ProblemException(
        ErrorCode.FORBIDDEN,
        "this token belongs to another workspace (expected: that workspace's own, the admin's or an"
            + " operator's)");
  }
}
