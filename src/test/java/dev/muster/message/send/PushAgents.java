package dev.muster.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Agents that are called at their urls, and the stored state of messages to them. */
public record PushAgents(TestServer server) {

  static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"message\"}}";

  /** An agent that is online; {@code more} are fields of its workspace. */
  public Agent at(String url, String... more) {
    String[] fields = new String[more.length + 2];
    fields[0] = "\"delivery_mode\":\"push\"";
    fields[1] = "\"url\":\"" + url + "\"";
    System.arraycopy(more, 0, fields, 2, more.length);
    return server.client().createOnline("Called", fields);
  }

  /** Evaluates an SQL expression on the message's row {@code l} and its record {@code m}. */
  String stored(Agent target, String messageId, String expression) {
    return stored(server.database(), target, messageId, expression);
  }

  static String stored(TestDatabase database, Agent target, String messageId, String expression) {
    return database.value(
        """
        SELECT %s %s WHERE l.workspace_id = '%s' AND l.message_id = '%s'
        """
            .formatted(expression, StoredRows.FROM, target.id(), messageId));
  }

  /**
   * Asserts the state of the record, and that the peer received as many deliveries as it counts.
   */
  void assertRecord(Agent target, String messageId, String state, int deliveries, TestPeer peer) {
    assertThat(stored(target, messageId, "m.state || ' ' || m.deliveries"))
        .isEqualTo(state + " " + deliveries);
    assertThat(peer.deliveries()).hasSize(deliveries);
    assertThat(peer.deliveries())
        .allMatch(one -> one.text().contains("\"messageId\":\"" + messageId + "\""));
  }

  /** Reads the request at once, and answers when the latch opens. */
  static PeerBehavior answerAfter(CountDownLatch latch, String json) {
    return answerAfter(latch, 200, json);
  }

  static PeerBehavior answerAfter(CountDownLatch latch, int status, String json) {
    return exchange -> {
      exchange.receive();
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
      exchange.answer(
          status,
          Map.of("Content-Type", "application/json"),
          json.getBytes(StandardCharsets.UTF_8));
      return true;
    };
  }
}
