package dev.muster.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON-RPC over HTTP: what comes in is bounded, and whatever it is, it gets an answer. */
final class PushEndpoint implements HttpHandler {

  private static final Logger log = LoggerFactory.getLogger(PushEndpoint.class);
  private static final int LARGEST_BODY = 16 * 1024 * 1024;

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
      byte[] body = exchange.getRequestBody().readNBytes(LARGEST_BODY + 1);
      if (body.length > LARGEST_BODY) {
        answer(exchange, 413, RpcFault.INVALID_REQUEST.answer(null, "larger than 16 MiB"));
      } else {
        answer(exchange, 200, answer(body));
      }
    } catch (IOException e) {
      log.debug("whoever asked is gone", e);
    } catch (RuntimeException e) {
      log.error("a pushed request went wrong", e);
    }
  }

  private JsonNode answer(byte[] body) {
    JsonNode request;
    try {
      request = JsonMapper.shared().readTree(body);
    } catch (JacksonException e) {
      return RpcFault.PARSE_ERROR.answer(null, "the body is no JSON");
    }
    if (request.isMissingNode()) {
      return RpcFault.PARSE_ERROR.answer(null, "there is no body");
    }
    JsonNode id = request.path("id");
    JsonNode method = request.path("method");
    if (!request.isObject() || !method.isString()) {
      return RpcFault.INVALID_REQUEST.answer(id, "no JSON-RPC request with a method");
    }
    return switch (method.stringValue()) {
      case "message/send", "SendMessage" -> messages.answer(request);
      default ->
          RpcFault.METHOD_NOT_FOUND.answer(
              id, "unknown method " + method + " (expected: \"message/send\")");
    };
  }

  private static void answer(HttpExchange exchange, int status, JsonNode json) throws IOException {
    byte[] bytes = JsonMapper.shared().writeValueAsBytes(json);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
