package dev.muster.activity;

import java.util.UUID;

/** The row of a message that is in its feed already. */
record KnownMessage(UUID id, long seq, String contentHash) {

  static KnownMessage of(PlacedActivity placed, MessageIdentity identity) {
    return new KnownMessage(placed.id(), placed.seq(), identity.contentHash());
  }

  /** What a message of the same name is: a repetition, or a reuse of its id (R7.3). */
  Appended against(MessageIdentity identity) {
    return contentHash.equals(identity.contentHash())
        ? new Appended.Repeated(id, seq)
        : new Appended.OtherContent();
  }
}
