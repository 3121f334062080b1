package dev.muster.workspace;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.identity.Tokens;
import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Decides which caller may register a workspace (the table of R3.1). Knowing an id is not enough to
 * take over its workspace.
 */
@Component
class RegistrationGate {

  private final boolean isOpen;
  private final WorkspaceRepository workspaces;
  private final RegistrationRepository registrations;
  private final Tokens tokens;

  RegistrationGate(
      SecuritySettings settings,
      DatabaseMode database,
      WorkspaceRepository workspaces,
      RegistrationRepository registrations,
      Tokens tokens) {
    this.isOpen = isOpen(settings, database);
    this.workspaces = workspaces;
    this.registrations = registrations;
    this.tokens = tokens;
  }

  static boolean isOpen(SecuritySettings settings, DatabaseMode database) {
    @Nullable String mode = settings.registration().mode();
    return mode == null ? database.isEmbedded() : Setting.REGISTRATION.parse(() -> isOpen(mode));
  }

  private static boolean isOpen(String mode) {
    return switch (mode) {
      case "open" -> true;
      case "closed" -> false;
      default -> throw new IllegalArgumentException("expected open or closed");
    };
  }

  /** Refuses anonymous callers while registration is closed, before the body is read. */
  void admit(Caller caller) {
    if (caller instanceof Caller.Anonymous && !isOpen) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "registration is closed here (expected: the workspace's token, the admin's or an"
              + " operator's; or set REGISTRATION=open)");
    }
  }

  /**
   * Refuses by the table of R3.1; call it again under the lock of a {@code stored} workspace.
   * Returns the unused token that the same request obtained before, and that a new token must
   * replace.
   */
  Optional<UUID> admit(
      Caller caller, UUID id, Optional<Workspace> stored, RegistrationOrigin origin) {
    admit(caller);
    Workspaces.requireOwnIdOfFormer(id, caller);
    if (stored.isPresent() && stored.get().isRemoved()) {
      throw Workspaces.removed(stored.get());
    }
    if (stored.isEmpty()) {
      requireNeverRemoved(id);
    }
    return switch (caller) {
      case Caller.Admin(), Caller.Operator _ -> Optional.empty();
      case Caller.Viewer _ -> throw AccessChecks.readsOnly();
      case Caller.Anonymous() ->
          stored.isPresent() ? requireFirstOrRepeated(id, origin) : Optional.empty();
      case Caller.Agent(UUID own) when own.equals(id) -> Optional.empty();
      case Caller.Agent(UUID own) -> throw AccessChecks.ofAnotherWorkspace();
      case Caller.RemovedAgent(UUID own) -> throw Credentials.unknown();
    };
  }

  private void requireNeverRemoved(UUID id) {
    workspaces
        .deletedRemovedAt(id)
        .ifPresent(removedAt -> {
          throw Workspaces.removed(id, removedAt);
        });
  }

  /**
   * Admits an anonymous registration once, before any token of the workspace was used. After that
   * it admits only a repeated request of the same origin.
   */
  private Optional<UUID> requireFirstOrRepeated(UUID id, RegistrationOrigin origin) {
    if (tokens.everUsed(id)) {
      throw registeredBefore(id);
    }
    Optional<UUID> repeated = registrations.findRepeated(id, origin);
    if (repeated.isEmpty() && registrations.hasRegistered(id)) {
      throw registeredBefore(id);
    }
    return repeated;
  }

  static ProblemException registeredBefore(UUID id) {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "the workspace has registered before (expected: its token, the admin's or an operator's); a"
            + " lost token is replaced, with one of the latter, by POST /admin/workspaces/"
            + id
            + "/tokens");
  }
}
