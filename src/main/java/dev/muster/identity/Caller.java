package dev.muster.identity;

import java.util.UUID;

/** Who sends a request, as far as its credential tells (contract, section 1). */
public sealed interface Caller {

  /** The operator, or the human at the canvas. */
  record Admin() implements Caller {}

  /** Who may do what the admin may, but for other operators' tokens (R1.7). */
  record Operator(UUID tokenId, String name) implements Caller {}

  /** Who reads what the admin and agents read, and changes nothing (R1.7). */
  record Viewer(UUID tokenId, String name) implements Caller {}

  /** The agent of one workspace. */
  record Agent(UUID workspaceId) implements Caller {}

  /**
   * The agent of a workspace that was removed: told the truth about its own id, and nothing else
   * (R1.5).
   */
  record RemovedAgent(UUID workspaceId) implements Caller {}

  /** Nobody: no credential was sent. */
  record Anonymous() implements Caller {}

  /**
   * Whether this caller has the role {@code ws} for a workspace: its own agent, the admin, or an
   * operator.
   */
  default boolean speaksFor(UUID workspaceId) {
    return switch (this) {
      case Admin(), Operator _ -> true;
      case Viewer _ -> false;
      case Agent(UUID own) -> own.equals(workspaceId);
      case RemovedAgent(UUID own) -> own.equals(workspaceId);
      case Anonymous() -> false;
    };
  }

  /** Whether it has the role {@code admin}: the admin, or an operator. */
  default boolean isAdmin() {
    return this instanceof Admin || this instanceof Operator;
  }

  /** Whether it may read whatever the role {@code admin} reads. */
  default boolean readsAll() {
    return isAdmin() || this instanceof Viewer;
  }

  /** Whether it may read what the role {@code ws} reads of a workspace. */
  default boolean reads(UUID workspaceId) {
    return readsAll() || speaksFor(workspaceId);
  }
}
