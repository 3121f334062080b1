package dev.muster.a2a.queue;

import java.util.List;

/** Brings queued messages to their targets. */
public interface QueuedDelivery {

  /**
   * Tries once, on a virtual thread of its own, for as long as it takes: the lease is renewed
   * meanwhile. The thread is interrupted when the lease is lost, since somebody else may then
   * deliver the message, and at a shutdown. What it throws counts as {@link Attempt.Later}.
   */
  Attempt attempt(Claimed claimed);

  /**
   * In the transaction that ends these unsent, with their rows locked: what else hangs on them ends
   * here too. An exception takes all of it back, to be tried again with the next pass.
   */
  void ended(List<EndedUnsent> rows);
}
