package dev.muster.identity;

import java.util.UUID;

/** Who sends a request, as far as its credential tells (contract, section 1). */
public sealed interface Caller {

  /** The operator, or the human at the canvas. */
  record Admin() implements Caller {}

  /** The agent of one workspace. */
  record Agent(UUID workspaceId) implements Caller {}

  /**
   * The agent of a workspace that was removed: told the truth about its own id, and nothing else
   * (R1.5).
   */
  record FormerAgent(UUID workspaceId) implements Caller {}

  /** Nobody: no credential was sent. */
  record Anonymous() implements Caller {}

  /** Whether this caller has the role {@code ws} for a workspace: its own agent, or the admin. */
  default boolean speaksFor(UUID workspaceId) {
    return switch (this) {
      case Admin() -> true;
      case Agent(UUID own) -> own.equals(workspaceId);
      case FormerAgent(UUID own) -> own.equals(workspaceId);
      case Anonymous() -> false;
    };
  }

  default boolean isAdmin() {
    return this instanceof Admin;
  }
}
