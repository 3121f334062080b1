package dev.muster.workspace;

import dev.muster.identity.Caller;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Resolves a workspace for an agent that wants to call it (R3.4 to R3.6). */
@Service
class Discovery {

  /** What a peer needs to reach a workspace; {@code url} is "" when that workspace polls. */
  record Found(
      UUID id, String name, String url, DeliveryMode deliveryMode, WorkspaceStatus status) {}

  private final Workspaces workspaces;

  Discovery(Workspaces workspaces) {
    this.workspaces = workspaces;
  }

  /**
   * Returns the target, if the caller may talk to it.
   *
   * @param claimed the workspace the request says it comes from; refused when the credential does
   *     not match it
   */
  Found discover(Caller caller, UUID claimed, UUID target) {
    if (!caller.reads(claimed)) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "X-Workspace-ID is not the workspace of this token (expected: its own workspace)");
    }
    Workspace found = workspaces.reachable(target, caller);
    return new Found(found.id(), found.name(), found.url(), found.deliveryMode(), found.status());
  }
}
