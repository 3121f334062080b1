package dev.muster.delivery;

import java.util.Locale;

/** How a delivery ended (R7.3). */
enum OutcomeState {
  /** The agent has answered, if only with an error. */
  ANSWERED,
  /** The agent did not get it. */
  REFUSED,
  /** The agent may have got it, or not. */
  UNCERTAIN,
  /** The agent polls by now, and finds the message in its feed. */
  IN_FEED;

  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static OutcomeState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
