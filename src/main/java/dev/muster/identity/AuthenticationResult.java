package dev.muster.identity;

import org.jspecify.annotations.Nullable;

/**
 * Who presents a credential, and the key under which its requests are counted: all tokens of a
 * workspace together, those of viewers and operators each by itself; null for nobody. The caller is
 * null when the token was revoked by an operator: it admits nowhere.
 */
record AuthenticationResult(@Nullable Caller caller, @Nullable Object key) {

  static final AuthenticationResult NOTHING =
      new AuthenticationResult(new Caller.Anonymous(), null);
  static final AuthenticationResult ADMIN = new AuthenticationResult(new Caller.Admin(), "admin");

  boolean isLive() {
    return caller != null && (caller.readsAll() || caller instanceof Caller.Agent);
  }
}
