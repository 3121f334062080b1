package dev.muster.workspace;

import dev.muster.identity.Caller;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Agents find each other: R3.4 to R3.6. */
@Service
class Discovery {

  /** What a peer needs to reach another; no url when it polls. */
  record Found(
      UUID id, String name, String url, DeliveryMode deliveryMode, WorkspaceStatus status) {}

  private final Workspaces workspaces;

  Discovery(Workspaces workspaces) {
    this.workspaces = workspaces;
  }

  /**
   * {@code claimed} is who the request says it comes from; a credential that contradicts it is
   * refused.
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
