package dev.muster.agent;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an agent does with a message.
 *
 * {@snippet :
 * MessageHandler echo = MessageHandler.text((message, client) -> "you said " + message.text());
 * MessageHandler slow = MessageHandler.later((message, client) -> model.ask(message.text()));
 * MessageHandler free =
 *     (message, client) -> message.isAnswer() ? Reply.none() : Reply.of(think(message));
 * }
 *
 * <p>A handler may throw: that is logged, counts as a failure in the heartbeat's error rate, ends a
 * delegated task as failed, and the next message is handled. It is called for one message at a time
 * by {@link PollDelivery}, and by {@link PushDelivery} unless that is told otherwise. A message may
 * come twice when the agent was killed while it handled it.
 */
@FunctionalInterface
public interface MessageHandler {

  /** Handles a message; for other conversations there is the client. */
  Reply handle(InboundMessage message, AgentClient client) throws Exception;

  /** One that answers with a text, or null for no answer. */
  static MessageHandler text(TextHandler handler) {
    return (message, client) -> Reply.of(handler.handle(message, client));
  }

  /** One that answers with a text that is not there yet. */
  static MessageHandler later(LaterHandler handler) {
    return (message, client) -> Reply.later(handler.handle(message, client));
  }

  /** Answers at once. */
  @FunctionalInterface
  interface TextHandler {
    @Nullable String handle(InboundMessage message, AgentClient client) throws Exception;
  }

  /** Answers later. */
  @FunctionalInterface
  interface LaterHandler {
    CompletionStage<? extends @Nullable String> handle(InboundMessage message, AgentClient client)
        throws Exception;
  }
}
