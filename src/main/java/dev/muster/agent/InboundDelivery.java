package dev.muster.agent;

import java.time.Duration;

/** How messages come to an agent: fetched, pushed, or by a way of your own. */
public interface InboundDelivery {

  /**
   * Hands the messages that are there to the handler, one after the other.
   *
   * @return how many messages the handler got
   * @throws MusterException when they cannot be fetched; the caller tries again later
   */
  int runOnce(MessageHandler handler);

  /** How long to wait before the next {@link #runOnce} when the last one found nothing. */
  default Duration interval() {
    return Duration.ofSeconds(5);
  }

  /**
   * Tells the platform that a delegated task failed; {@link AgentLoop} asks for it. A delivery that
   * keeps what cannot be sent now does so with this as well.
   *
   * @throws MusterException when it cannot be told
   */
  default void reportFailure(String delegationId, String error, AgentClient client) {
    client.updateDelegation(delegationId, new DelegationReport.Failed(error, ""));
  }

  /** Lets go of everything, a wait for messages included. Once for all, from any thread. */
  void stop();
}
