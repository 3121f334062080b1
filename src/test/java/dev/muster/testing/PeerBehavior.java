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

  /** Whether the connection serves another request afterwards; else it is closed. */
  boolean act(PeerExchange exchange) throws IOException;

  /** False for a deed that comes as soon as there is a connection. */
  default boolean awaitsRequest() {
    return true;
  }

  /** The answer of an agent that says what it was told: the parts of the message come back. */
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

  /** Takes the whole request, then these bytes are all that comes back before the end. */
  static PeerBehavior sayAndClose(String bytes) {
    return exchange -> {
      exchange.receive();
      exchange.send(bytes);
      return false;
    };
  }

  /** Takes the whole request and closes without a word. */
  static PeerBehavior closeAfterRequest() {
    return sayAndClose("");
  }

  /** Accepts the connection and closes it, whatever comes. */
  static PeerBehavior closeAtOnce() {
    return atOnce(_ -> false);
  }

  static PeerBehavior resetAtOnce() {
    return atOnce(exchange -> {
      exchange.reset();
      return false;
    });
  }

  /** Resets when a few bytes of the request have come. */
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

  /** A promise of a thousand bytes of JSON, and twelve of them. */
  static PeerBehavior halfBody() {
    return sayAndClose(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
            + "{\"jsonrpc\":\"");
  }

  static PeerBehavior halfHead() {
    return sayAndClose("HTTP/1.1 200 OK\r\nContent-Ty");
  }

  /** What a server of another protocol may say. */
  static PeerBehavior garbage() {
    return sayAndClose("\u0015\u0003\u0001 220 mail.example ESMTP\r\n\r\n");
  }

  /** An answer of which one byte comes every so often, until released. */
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

  /** Takes the request and says nothing until released; then closes. */
  static PeerBehavior silence() {
    return exchange -> {
      exchange.receive();
      exchange.awaitRelease();
      return false;
    };
  }

  /** Does not even read, until released. */
  static PeerBehavior deafness() {
    return atOnce(exchange -> {
      exchange.awaitRelease();
      return false;
    });
  }

  /** A whole stream of server-sent events with these data. */
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

  /** A stream that says this, and goes on with the rest when the latch opens. */
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

  private static PeerBehavior atOnce(PeerBehavior deed) {
    return new PeerBehavior() {
      @Override
      public boolean act(PeerExchange exchange) throws IOException {
        return deed.act(exchange);
      }

      @Override
      public boolean awaitsRequest() {
        return false;
      }
    };
  }
}
