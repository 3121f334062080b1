package dev.muster.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.muster.agent.PushedMessages.Answer;
import dev.muster.agent.PushedMessages.JsonRpcError;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves JSON-RPC over HTTP: bounds the request body and responds to every request. The Muster
 * server stops waiting after its time limit, and a write to the connection that it closed can still
 * succeed. So the end of a slow delegated task is reported too.
 */
final class PushEndpoint implements HttpHandler {

  private static final Logger log = LoggerFactory.getLogger(PushEndpoint.class);
  private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

  /** A slower response may be lost; this is below the server's default time limits. */
  private static final Duration SLOW = Duration.ofSeconds(5);

  private final PushedMessages messages;

  PushEndpoint(PushedMessages messages) {
    this.messages = messages;
  }

  @Override
  public void handle(HttpExchange exchange) {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.getResponseHeaders().add("Allow", "POST");
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
      if (body.length > MAX_BODY_BYTES) {
        answer(exchange, 413, JsonRpcError.INVALID_REQUEST.answer(null, "larger than 16 MiB"));
      } else {
        answer(exchange, body);
      }
    } catch (IOException e) {
      log.debug("the caller has disconnected", e);
    } catch (RuntimeException e) {
      log.error("a pushed request failed", e);
    }
  }

  private void answer(HttpExchange exchange, byte[] body) throws IOException {
    long began = System.nanoTime();
    Answer answer = answer(body);
    boolean slow = System.nanoTime() - began > SLOW.toNanos();
    try {
      answer(exchange, 200, answer.json());
    } catch (IOException e) {
      slow = true;
      throw e;
    } finally {
      if (slow) {
        answer.onUndelivered().run();
      }
    }
  }

  private Answer answer(byte[] body) {
    JsonNode request;
    try {
      request = JsonMapper.shared().readTree(body);
    } catch (JacksonException e) {
      return Answer.of(JsonRpcError.PARSE_ERROR.answer(null, "the body is not JSON"));
    }
    if (request.isMissingNode()) {
      return Answer.of(JsonRpcError.PARSE_ERROR.answer(null, "there is no body"));
    }
    JsonNode id = request.path("id");
    JsonNode method = request.path("method");
    if (!request.isObject() || !method.isString()) {
      return Answer.of(
          JsonRpcError.INVALID_REQUEST.answer(id, "no JSON-RPC request with a method"));
    }
    return switch (method.stringValue()) {
      case "message/send", "SendMessage" -> messages.answer(request);
      default ->
          Answer.of(
              JsonRpcError.METHOD_NOT_FOUND.answer(
                  id, "unknown method " + method + " (expected: \"message/send\")"));
    };
  }

  private static void answer(HttpExchange exchange, int status, JsonNode json) throws IOException {
    byte[] bytes = JsonMapper.shared().writeValueAsBytes(json);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.getResponseBody().close();
  }
}
