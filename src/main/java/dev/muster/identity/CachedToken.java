package dev.muster.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A token of the database as this replica remembers it. */
final class CachedToken {

  /** Whether a token may be used, and if not, who ended it. */
  enum State {
    LIVE,
    /** Revoked on purpose: unknown from now on. */
    REVOKED,
    /** Revoked because its workspace was removed: its agent is told so (R1.5). */
    REVOKED_BY_REMOVAL
  }

  private final UUID id;
  private final Caller holder;
  private final State state;
  private volatile boolean usedSinceLastNote;

  /** {@code holder}: whose it is while it is live. */
  CachedToken(UUID id, Caller holder, State state) {
    this.id = id;
    this.holder = holder;
    this.state = state;
    // the first use of an agent's token is noted when it is looked up
    this.usedSinceLastNote = !(holder instanceof Caller.Agent);
  }

  UUID id() {
    return id;
  }

  /** All tokens of a workspace are counted together. */
  UUID countedBy() {
    return holder instanceof Caller.Agent(UUID workspaceId) ? workspaceId : id;
  }

  State state() {
    return state;
  }

  /** Null when an operator revoked it. */
  @Nullable Caller caller() {
    return switch (state) {
      case LIVE -> holder;
      case REVOKED_BY_REMOVAL -> new Caller.RemovedAgent(countedBy());
      case REVOKED -> null;
    };
  }

  CachedToken in(State newState) {
    return new CachedToken(id, holder, newState);
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
