package dev.muster.workspace;

import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.identity.Tokens;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Who may register as whom (the table of R3.1): nobody takes over a workspace by knowing its id.
 */
@Component
class RegistrationGate {

  private final WorkspaceSettings settings;
  private final WorkspaceRepository workspaces;
  private final Tokens tokens;

  RegistrationGate(WorkspaceSettings settings, WorkspaceRepository workspaces, Tokens tokens) {
    this.settings = settings;
    this.workspaces = workspaces;
    this.tokens = tokens;
  }

  /** Refuses strangers while registration is closed, whatever they send. */
  void admit(Caller caller) {
    if (caller instanceof Caller.Anonymous && !settings.registrationOpen()) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "registration is closed here (expected: the workspace's token, or the admin's; or set"
              + " REGISTRATION=open)");
    }
  }

  /** Refuses by the table; to be asked again under the workspace's lock. */
  void admit(Caller caller, UUID id, Optional<Workspace> stored) {
    admit(caller);
    Workspaces.requireOwnIdOfFormer(id, caller);
    if (stored.isPresent() && stored.get().isRemoved()) {
      throw Workspaces.removed(stored.get());
    }
    if (stored.isEmpty()) {
      requireNeverRemoved(id);
    }
    switch (caller) {
      case Caller.Admin() -> {}
      case Caller.Anonymous() -> requireNeverRegistered(id);
      case Caller.Agent(UUID own) when own.equals(id) -> {}
      case Caller.Agent(UUID own) ->
          throw new ProblemException(
              ErrorCode.FORBIDDEN, "this token belongs to another workspace");
      case Caller.FormerAgent(UUID own) -> throw Credentials.unknown();
    }
  }

  private void requireNeverRemoved(UUID id) {
    workspaces
        .deletedRemovedAt(id)
        .ifPresent(removedAt -> {
          throw Workspaces.removed(id, removedAt);
        });
  }

  private void requireNeverRegistered(UUID id) {
    if (tokens.everUsed(id)) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "the workspace has registered before (expected: its token, or the admin's)");
    }
  }
}
