package dev.muster.identity;

import dev.muster.platform.http.Owner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Holds a stored token, or a console session, as this replica's cache knows it. */
final class CachedToken {

  /** Whether a token may be used, and if not, why it was revoked. */
  enum State {
    LIVE,
    /** Revoked by an operator, or expired; treated as unknown. */
    REVOKED,
    /** Revoked because its workspace was removed; its agent is informed of that (R1.5). */
    REVOKED_BY_REMOVAL
  }

  /**
   * The data of a console session; such an entry is found by its cookie.
   *
   * @param pageKey the hash of the session's other half
   * @param maker the hash of the token that the session ends with
   */
  record SessionProof(SecretHash pageKey, SecretHash maker) {}

  private final UUID id;
  private final Caller holder;
  private final State state;
  private final @Nullable SessionProof session;
  private volatile boolean usedSinceLastNote;

  /** Creates the entry; {@code holder} is the caller that presents the token while it is live. */
  CachedToken(UUID id, Caller holder, State state, @Nullable SessionProof session) {
    this.id = id;
    this.holder = holder;
    this.state = state;
    this.session = session;
    // the look-up itself stores the first use of an agent's token, but not of a role token
    this.usedSinceLastNote = session != null || !(holder instanceof Caller.Agent);
  }

  UUID id() {
    return id;
  }

  /**
   * Returns the owner of the requests that present it: the workspace of an agent, else the token
   * with the name of its holder.
   *
   * @param token the hash of the token, or of the one that the session ends with
   */
  Owner owner(SecretHash token) {
    return switch (holder) {
      case Caller.Agent(UUID own) -> new Owner.OfWorkspace(own);
      case Caller.Operator(_, String name) -> Owner.ofPerson(token, name);
      case Caller.Viewer(_, String name) -> Owner.ofPerson(token, name);
      case Caller.Admin(), Caller.RemovedAgent _, Caller.Anonymous() ->
          throw new IllegalStateException("no stored token has this holder: " + holder);
    };
  }

  /** Returns the session's data; null for a token. */
  @Nullable SessionProof session() {
    return session;
  }

  State state() {
    return state;
  }

  /** Returns the caller, or null when an operator revoked the token or it expired. */
  @Nullable Caller caller() {
    return switch (state) {
      case LIVE -> holder;
      case REVOKED_BY_REMOVAL ->
          holder instanceof Caller.Agent(UUID own) ? new Caller.RemovedAgent(own) : null;
      case REVOKED -> null;
    };
  }

  CachedToken in(State newState) {
    return new CachedToken(id, holder, newState, session);
  }

  void use() {
    if (!usedSinceLastNote) {
      usedSinceLastNote = true;
    }
  }

  /** Returns whether the token was used since the last call, and resets that mark. */
  boolean takeUse() {
    boolean used = usedSinceLastNote;
    usedSinceLastNote = false;
    return used;
  }
}
