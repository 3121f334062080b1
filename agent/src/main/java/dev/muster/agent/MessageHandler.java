package dev.muster.agent;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of an agent.
 *
 * {@snippet :
 * MessageHandler echo = MessageHandler.text((message, client) -> "you said " + message.text());
 * MessageHandler slow = MessageHandler.later((message, client) -> model.ask(message.text()));
 * MessageHandler free =
 *     (message, client) -> message.isAnswer() ? Reply.none() : Reply.of(think(message));
 * }
 *
 * <p>A handler may throw. The failure is logged and counts in the heartbeat's error rate. A
 * delegated task ends as failed, and the next message is handled. {@link PollDelivery} calls the
 * handler for one message at a time; so does {@link PushDelivery} with its default concurrency. A
 * message can arrive twice when the agent was killed while it handled the message.
 */
@FunctionalInterface
public interface MessageHandler {

  /** Handles a message. Use {@code client} to call the server or to send other messages. */
  Reply handle(InboundMessage message, AgentClient client) throws Exception;

  /** Makes a handler that returns a text, or null for no reply. */
  static MessageHandler text(TextHandler handler) {
    return (message, client) -> Reply.of(handler.handle(message, client));
  }

  /** Makes a handler whose text arrives later. */
  static MessageHandler later(LaterHandler handler) {
    return (message, client) -> Reply.later(handler.handle(message, client));
  }

  /** Returns the text of the reply, or null for none. */
  @FunctionalInterface
  interface TextHandler {
    @Nullable String handle(InboundMessage message, AgentClient client) throws Exception;
  }

  /** Returns a stage of the reply's text; its value is null for no reply. */
  @FunctionalInterface
  interface LaterHandler {
    CompletionStage<? extends @Nullable String> handle(InboundMessage message, AgentClient client)
        throws Exception;
  }
}
