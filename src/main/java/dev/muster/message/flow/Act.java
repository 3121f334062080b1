package dev.muster.message.flow;

import dev.muster.message.flow.DirectAttempts.Held;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.work.LongPollRegistry;

/** What is left to do for the sender of a message that is stored; {@link MessageFlow} does it. */
public sealed interface Act {

  /** The response is known. */
  record Reply(ProxyResponse response) implements Act {}

  /** The agent is called. */
  record Call(Message message, Places places, Held held) implements Act {}

  /** The same message is being delivered; its outcome is awaited. */
  record AwaitOutcome(Message message, Places places, Facts facts) implements Act {}

  /**
   * The answer of a poll agent is awaited.
   *
   * @param slot the place that the wait takes
   */
  record AwaitAnswer(ReplyCorrelation.Wait wanted, LongPollRegistry.Slot slot) implements Act {}
}
