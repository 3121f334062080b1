package dev.muster.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a {@link TestPeer} does to a request. */
@FunctionalInterface
public interface PeerBehavior {

  /** Returns true when the connection serves another request; otherwise it is closed. */
  boolean act(PeerExchange exchange) throws IOException;

  /** Returns false for a behaviour that needs only a connection. */
  default boolean awaitsRequest() {
    return true;
  }

  /** Answers with the parts of the request's message. */
  static PeerBehavior echo() {
    JsonMapper json = JsonMapper.shared();
    return exchange -> {
      JsonNode request = json.readTree(exchange.receive().body());
      JsonNode message = request.path("params").path("message");
      ObjectNode answer = json.createObjectNode().put("jsonrpc", "2.0");
      answer.set("id", request.path("id"));
      answer
          .putObject("result")
          .put("kind", "message")
          .put("role", "agent")
          .put("messageId", "echo of " + message.path("messageId").asString(""))
          .set("parts", message.path("parts"));
      return whole(exchange, 200, json.writeValueAsBytes(answer));
    };
  }

  static PeerBehavior answer(int status, String json) {
    return answer(status, Map.of("Content-Type", "application/json"), json);
  }

  static PeerBehavior answer(int status, Map<String, String> headers, String body) {
    return answer(status, headers, body.getBytes(StandardCharsets.UTF_8));
  }

  static PeerBehavior answer(int status, Map<String, String> headers, byte[] body) {
    return exchange -> {
      exchange.receive();
      exchange.answer(status, headers, body);
      return true;
    };
  }

  private static boolean whole(PeerExchange exchange, int status, byte[] json) throws IOException {
    exchange.answer(status, Map.of("Content-Type", "application/json"), json);
    return true;
  }

  /** Reads the whole request, sends these bytes and closes. */
  static PeerBehavior sendAndClose(String bytes) {
    return exchange -> {
      exchange.receive();
      exchange.send(bytes);
      return false;
    };
  }

  /** Reads the whole request and closes. */
  static PeerBehavior closeAfterRequest() {
    return sendAndClose("");
  }

  /** Accepts the connection and closes it. */
  static PeerBehavior closeAtOnce() {
    return atOnce(_ -> false);
  }

  static PeerBehavior resetAtOnce() {
    return atOnce(exchange -> {
      exchange.reset();
      return false;
    });
  }

  /** Resets after the first bytes of the request. */
  static PeerBehavior resetDuringRequest() {
    return exchange -> {
      exchange.receiveOnly(10);
      exchange.reset();
      return false;
    };
  }

  static PeerBehavior resetAfterRequest() {
    return exchange -> {
      exchange.receive();
      exchange.reset();
      return false;
    };
  }

  /** Announces a thousand bytes of JSON, and sends twelve. */
  static PeerBehavior halfBody() {
    return sendAndClose(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
            + "{\"jsonrpc\":\"");
  }

  static PeerBehavior halfHead() {
    return sendAndClose("HTTP/1.1 200 OK\r\nContent-Ty");
  }

  /** Answers in another protocol. */
  static PeerBehavior garbage() {
    return sendAndClose("\u0015\u0003\u0001 220 mail.example ESMTP\r\n\r\n");
  }

  /** Answers one byte at this interval, until released. */
  static PeerBehavior drip(Duration every) {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
      while (!exchange.awaitRelease(every)) {
        exchange.send(" ");
      }
      return false;
    };
  }

  /** Reads the request and does not answer until released; then closes. */
  static PeerBehavior silence() {
    return exchange -> {
      exchange.receive();
      exchange.awaitRelease();
      return false;
    };
  }

  /** Does not read until released. */
  static PeerBehavior deafness() {
    return atOnce(exchange -> {
      exchange.awaitRelease();
      return false;
    });
  }

  /** A complete stream of server-sent events with these data. */
  static PeerBehavior events(String... data) {
    return exchange -> {
      startEvents(exchange);
      for (String one : data) {
        exchange.send(chunk("data: " + one + "\n\n"));
      }
      exchange.send("0\r\n\r\n");
      return true;
    };
  }

  /** A stream that breaks off after these bytes. */
  static PeerBehavior brokenEvents(String bytes) {
    return exchange -> {
      startEvents(exchange);
      exchange.send(chunk(bytes));
      return false;
    };
  }

  /** A stream that begins with these bytes, and sends the rest when the latch opens. */
  static PeerBehavior eventsInTwo(String bytes, CountDownLatch goOn, String rest) {
    return exchange -> {
      startEvents(exchange);
      exchange.send(chunk(bytes));
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      exchange.send(chunk(rest) + "0\r\n\r\n");
      return true;
    };
  }

  private static void startEvents(PeerExchange exchange) throws IOException {
    exchange.receive();
    exchange.send(
        """
        HTTP/1.1 200 OK
        Content-Type: text/event-stream
        Transfer-Encoding: chunked

        """
            .replace("\n", "\r\n"));
  }

  private static String chunk(String text) {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    return Integer.toHexString(length) + "\r\n" + text + "\r\n";
  }

  private static PeerBehavior atOnce(PeerBehavior behavior) {
    return new PeerBehavior() {
      @Override
      public boolean act(PeerExchange exchange) throws IOException {
        return behavior.act(exchange);
      }

      @Override
      public boolean awaitsRequest() {
        return false;
      }
    };
  }
}
