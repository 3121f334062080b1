package dev.muster.agent;

import java.time.Duration;

/** Brings messages to an agent: by polling, by push or in a custom way. */
public interface InboundDelivery {

  /**
   * Passes the waiting messages to the handler, one after the other.
   *
   * @return the number of messages that the handler got
   * @throws MusterException when the messages cannot be fetched; the caller tries again later
   */
  int runOnce(MessageHandler handler);

  /** Returns the wait before the next {@link #runOnce} when the last one found no message. */
  default Duration interval() {
    return Duration.ofSeconds(5);
  }

  /**
   * Reports to the server that a delegated task failed; {@link AgentLoop} calls this. An
   * implementation that stores unsent replies stores an unsent report too.
   *
   * @throws MusterException when the report cannot be sent
   */
  default void reportFailure(String delegationId, String error, AgentClient client) {
    client.updateDelegation(delegationId, new DelegationReport.Failed(error, ""));
  }

  /** Releases all resources and ends a wait for messages, permanently. Safe from any thread. */
  void stop();
}
