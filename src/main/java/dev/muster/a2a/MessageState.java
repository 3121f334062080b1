package dev.muster.a2a;

import java.util.Locale;

/** How a message stands (R7.3). */
enum MessageState {
  /** Somebody delivers it, as long as the lease is renewed. */
  SENDING,

  /** The agent has answered, if only with an error. */
  ANSWERED,

  /** It waits in the queue. */
  QUEUED,

  /** The agent did not get it. */
  REFUSED,

  /** Nobody knows whether the agent got it. */
  UNCERTAIN;

  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static MessageState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
