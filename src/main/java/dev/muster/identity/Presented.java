package dev.muster.identity;

import org.jspecify.annotations.Nullable;

/**
 * Who presents a credential, and the key under which its requests are counted: all tokens of a
 * workspace together, those of viewers and operators each by itself; null for nobody. The caller is
 * null when the token was revoked by an operator: it admits nowhere.
 */
record Presented(@Nullable Caller caller, @Nullable Object key) {

  static final Presented NOTHING = new Presented(new Caller.Anonymous(), null);
  static final Presented ADMIN = new Presented(new Caller.Admin(), "admin");

  boolean isLive() {
    return caller != null && (caller.readsAll() || caller instanceof Caller.Agent);
  }
}
