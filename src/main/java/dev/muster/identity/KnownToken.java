package dev.muster.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A token of the database as this replica remembers it. */
final class KnownToken {

  /** Whether a token may be used, and if not, who ended it. */
  enum State {
    LIVE,
    /** Revoked on purpose: unknown from now on. */
    REVOKED,
    /** Revoked because its workspace was removed: its agent is told so (R1.5). */
    REVOKED_BY_REMOVAL
  }

  private final UUID id;
  private final UUID workspaceId;
  private final State state;
  private volatile boolean usedSinceLastNote;

  KnownToken(UUID id, UUID workspaceId, State state) {
    this.id = id;
    this.workspaceId = workspaceId;
    this.state = state;
  }

  UUID id() {
    return id;
  }

  UUID workspaceId() {
    return workspaceId;
  }

  State state() {
    return state;
  }

  /** Null when an operator revoked it. */
  @Nullable Caller caller() {
    return switch (state) {
      case LIVE -> new Caller.Agent(workspaceId);
      case REVOKED_BY_REMOVAL -> new Caller.FormerAgent(workspaceId);
      case REVOKED -> null;
    };
  }

  KnownToken in(State newState) {
    return new KnownToken(id, workspaceId, newState);
  }

  void use() {
    if (!usedSinceLastNote) {
      usedSinceLastNote = true;
    }
  }

  /** Whether it was used since this was last asked. */
  boolean takeUse() {
    boolean used = usedSinceLastNote;
    usedSinceLastNote = false;
    return used;
  }
}
