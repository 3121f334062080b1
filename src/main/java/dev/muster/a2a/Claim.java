package dev.muster.a2a;

import java.util.UUID;

/**
 * That a message is somebody's to deliver: a name of this one delivery, and whether the agent may
 * have been given the message by an earlier one.
 */
record Claim(String owner, boolean wasDelivered) {

  /** Of a new message. */
  static Claim first() {
    return new Claim(newOwner(), false);
  }

  static String newOwner() {
    return UUID.randomUUID().toString();
  }
}
