package dev.muster.identity;

import java.util.UUID;

/** Identifies the sender of a request by its credential (docs/api.md, section 1). */
public sealed interface Caller {

  /** The holder of the admin token, such as the canvas. */
  record Admin() implements Caller {}

  /** A token that may do what the admin may, except manage operator tokens (R1.7). */
  record Operator(UUID tokenId, String name) implements Caller {}

  /** A token that reads what the admin and agents read, and changes nothing (R1.7). */
  record Viewer(UUID tokenId, String name) implements Caller {}

  /** The agent of one workspace. */
  record Agent(UUID workspaceId) implements Caller {}

  /**
   * The agent of a removed workspace. It learns of that removal for its own id, and is refused for
   * every other id (R1.5).
   */
  record RemovedAgent(UUID workspaceId) implements Caller {}

  /** A request without a credential. */
  record Anonymous() implements Caller {}

  /**
   * Whether this caller has the role {@code ws} for a workspace: its own agent, the admin or an
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

  /** Whether this caller has the role {@code admin}: the admin or an operator. */
  default boolean isAdmin() {
    return this instanceof Admin || this instanceof Operator;
  }

  /** Whether this caller may read everything that the role {@code admin} reads. */
  default boolean readsAll() {
    return isAdmin() || this instanceof Viewer;
  }

  /** Whether this caller may read what the role {@code ws} reads of a workspace. */
  default boolean reads(UUID workspaceId) {
    return readsAll() || speaksFor(workspaceId);
  }
}
