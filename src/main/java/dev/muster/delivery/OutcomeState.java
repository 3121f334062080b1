package dev.muster.delivery;

import java.util.Locale;

/** How a delivery ended (R7.3). */
enum OutcomeState {
  /** The agent has responded, possibly with an error. */
  ANSWERED,
  /** The agent did not get the message. */
  REFUSED,
  /** It is unknown whether the agent got the message. */
  UNCERTAIN,
  /** The agent polls now and finds the message in its feed. */
  IN_FEED;

  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static OutcomeState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
