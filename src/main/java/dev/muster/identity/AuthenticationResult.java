package dev.muster.identity;

import org.jspecify.annotations.Nullable;

/**
 * The caller that a credential identifies, and the key of its rate limit.
 *
 * @param caller null when an operator revoked the token or it expired; admitted nowhere
 * @param key the workspace's id, shared by all its tokens; for a viewer or operator the token's id;
 *     "admin" for the admin token; null without a credential
 */
record AuthenticationResult(@Nullable Caller caller, @Nullable Object key) {

  static final AuthenticationResult NOTHING =
      new AuthenticationResult(new Caller.Anonymous(), null);
  static final AuthenticationResult ADMIN = new AuthenticationResult(new Caller.Admin(), "admin");

  boolean isLive() {
    return caller != null && (caller.readsAll() || caller instanceof Caller.Agent);
  }
}
