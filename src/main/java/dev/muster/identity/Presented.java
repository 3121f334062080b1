package dev.muster.identity;

import org.jspecify.annotations.Nullable;

/**
 * Who presents a credential, and the key under which its requests are counted: all tokens of a
 * workspace together; null for nobody.
 */
record Presented(Caller caller, @Nullable Object key) {

  static final Presented NOTHING = new Presented(new Caller.Anonymous(), null);
  static final Presented ADMIN = new Presented(new Caller.Admin(), "admin");
}
