package dev.muster.agent;

import dev.muster.agent.MessageSender.Envelope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Handles each pushed message once; a duplicate message gets the same answer. */
final class PushedMessages {

  /** Holds the result of a message, without the id of the JSON-RPC request. */
  private sealed interface Outcome {
    record Replied(String text) implements Outcome {}

    record Failed(String why) implements Outcome {}
  }

  /**
   * Holds the JSON-RPC response to a request.
   *
   * @param onUndelivered to run when the response may be lost: reports the end of a delegated task
   */
  record Answer(JsonNode json, Runnable onUndelivered) {

    static Answer of(JsonNode json) {
      return new Answer(json, () -> {});
    }
  }

  private static final Logger log = LoggerFactory.getLogger(PushedMessages.class);
  private static final int MAX_MESSAGES = 1_000;
  private static final int START_LIMIT_S = 30;

  /** Lists the errors of JSON-RPC 2.0 (section 5.1 of its specification). */
  enum JsonRpcError {
    PARSE_ERROR(-32700),
    INVALID_REQUEST(-32600),
    METHOD_NOT_FOUND(-32601),
    INVALID_PARAMS(-32602),
    INTERNAL(-32603);

    private final int code;

    JsonRpcError(int code) {
      this.code = code;
    }

    /** Builds an error response; {@code id} is the request's id, or null. */
    JsonNode answer(@Nullable JsonNode id, String text) {
      ObjectNode response = envelope(id);
      response.putObject("error").put("code", code).put("message", text);
      return response;
    }

    static ObjectNode envelope(@Nullable JsonNode id) {
      ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
      boolean usable = id != null && (id.isString() || id.isNumber());
      response.set("id", usable ? id : JsonNodeFactory.instance.nullNode());
      return response;
    }
  }

  private final AgentClient client;
  private final Replies replies;
  private final Semaphore slots;
  private final CompletableFuture<MessageHandler> first = new CompletableFuture<>();
  private volatile @Nullable MessageHandler handler;

  // guarded by itself; the latest messages, oldest first
  private final Map<String, CompletableFuture<Outcome>> known = new LinkedHashMap<>();

  PushedMessages(AgentClient client, Replies replies, int concurrency) {
    this.client = client;
    this.replies = replies;
    this.slots = new Semaphore(concurrency, true);
  }

  void handledBy(MessageHandler now) {
    handler = now;
    first.complete(now);
  }

  void stop() {
    first.completeExceptionally(new IllegalStateException("the agent is stopping"));
  }

  Answer answer(JsonNode request) {
    JsonNode id = request.path("id");
    if (!request.path("params").path("message").isObject()) {
      return Answer.of(JsonRpcError.INVALID_PARAMS.answer(id, "no params.message"));
    }
    InboundMessage message = InboundMessage.ofRequest(request);
    Outcome outcome = outcome(message);
    return new Answer(json(id, message, outcome), () -> report(message, outcome));
  }

  private static JsonNode json(JsonNode id, InboundMessage message, Outcome outcome) {
    return switch (outcome) {
      case Outcome.Replied(String text) -> {
        ObjectNode response = JsonRpcError.envelope(id);
        response.set("result", Envelope.message("agent", answerId(message), text));
        yield response;
      }
      case Outcome.Failed(String why) -> JsonRpcError.INTERNAL.answer(id, why);
    };
  }

  /** Reports the end of a delegated task. If the response arrived too, this is a no-op (R8.1). */
  private void report(InboundMessage message, Outcome outcome) {
    if (message.isDelegatedTask()) {
      switch (outcome) {
        case Outcome.Replied(String text) -> replies.reportResult(message, text);
        case Outcome.Failed(String why) ->
            replies.report(message.delegationId(), new DelegationReport.Failed(why, ""));
      }
    }
  }

  private Outcome outcome(InboundMessage message) {
    if (message.messageId().isEmpty()) {
      return handle(message);
    }
    CompletableFuture<Outcome> mine = new CompletableFuture<>();
    CompletableFuture<Outcome> other = putIfUnknown(message.identity(), mine);
    if (other != null) {
      log.info("message {} is a duplicate", message.identity());
      return other.join();
    }
    Outcome outcome = new Outcome.Failed("the agent is stopping");
    try {
      outcome = handle(message);
      return outcome;
    } finally {
      mine.complete(outcome);
    }
  }

  /** Returns the future of an earlier request with this message; null if there is none. */
  private @Nullable CompletableFuture<Outcome> putIfUnknown(
      String identity, CompletableFuture<Outcome> mine) {
    synchronized (known) {
      CompletableFuture<Outcome> other = known.putIfAbsent(identity, mine);
      if (known.size() > MAX_MESSAGES) {
        forgetTheOldest();
      }
      return other;
    }
  }

  /** Removes the oldest answered message; one that is being handled must stay known. */
  private void forgetTheOldest() {
    for (var entries = known.entrySet().iterator(); entries.hasNext(); ) {
      if (entries.next().getValue().isDone()) {
        entries.remove();
        return;
      }
    }
  }

  private Outcome handle(InboundMessage message) {
    try {
      MessageHandler ready = first.get(START_LIMIT_S, TimeUnit.SECONDS);
      @Nullable MessageHandler latest = handler;
      slots.acquire();
      try {
        return new Outcome.Replied(
            HandlerResult.of((latest == null ? ready : latest).handle(message, client)));
      } finally {
        slots.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Outcome.Failed("the agent is stopping");
    } catch (TimeoutException | ExecutionException e) {
      return new Outcome.Failed("the agent is not ready");
    } catch (Throwable t) {
      log.error("the handler failed on message {}", message.identity(), t);
      return new Outcome.Failed("the agent failed: " + t);
    }
  }

  /** Derives the answer's id from the message id, so that a duplicate message gets the same. */
  private static String answerId(InboundMessage message) {
    return message.messageId().isEmpty()
        ? UUID.randomUUID().toString()
        : message.messageId() + ":answer";
  }
}
