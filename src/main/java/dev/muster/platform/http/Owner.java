package dev.muster.platform.http;

import java.util.UUID;

/**
 * Whose share of a bound a request takes.
 *
 * <p>An agent is its workspace, with all tokens and sessions. People are their token with the name
 * of their session; a caller without a valid credential is its network. {@code RequestOwner} knows
 * the owner of a request, and every bound takes it from there.
 */
public sealed interface Owner {

  /** The shares that all people with one token have together, however many names they give. */
  int SHARES_OF_A_TOKEN = 4;

  /** What the server does for no caller, such as its attempts for queued messages of people. */
  Owner SERVER = new OfServer();

  /** An agent: the tokens of its workspace, and the sessions made with them. */
  record OfWorkspace(UUID id) implements Owner {}

  /**
   * People with one token.
   *
   * @param token the token that they present, or that their session or link was made with; a value
   *     with {@code equals}
   * @param share which of the token's shares, from 0
   */
  record OfPeople(Object token, int share) implements Owner {}

  /** A caller without a valid credential. */
  record OfNetwork(RemoteNetwork network) implements Owner {}

  /** The server itself. */
  record OfServer() implements Owner {}

  /**
   * Returns the owner of a person's requests. The name chooses the share, so that no name gets a
   * token more than {@link #SHARES_OF_A_TOKEN}; nothing has to be counted for that.
   */
  static Owner ofPerson(Object token, String name) {
    return new OfPeople(token, Math.floorMod(name.hashCode(), SHARES_OF_A_TOKEN));
  }
}
