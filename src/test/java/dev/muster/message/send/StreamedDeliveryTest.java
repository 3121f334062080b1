package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event streams are forwarded as they arrive, and their last event is stored (R7.9). */
@Timeout(60)
class StreamedDeliveryTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private static final String WORKING =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"final\":false}}";
  private static final String DONE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"final\":true}}";

  @Test
  void forwardsEventsAndStoresTheLastOne() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(PeerBehavior.events(WORKING, DONE));

      Answer answer = PROXY.send(agent, ADMIN_TOKEN, stream("m"));

      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("Content-Type")).startsWith("text/event-stream");
      assertThat(answer.text()).contains("data: " + WORKING).contains("data: " + DONE);
      assertThat(stored(agent)).isEqualTo(DONE);
    }
  }

  @Test
  void answersADuplicateWithTheLastEvent() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(PeerBehavior.events(WORKING, DONE));
      PROXY.send(agent, ADMIN_TOKEN, stream("m"));

      Answer again = PROXY.send(agent, ADMIN_TOKEN, stream("m"));

      assertThat(again.header("Content-Type")).startsWith("text/event-stream");
      assertThat(again.text()).isEqualTo("data: " + DONE + "\n\n");
      assertThat(peer.deliveries()).hasSize(1);
    }
  }

  @Test
  void namesTheTypeOfAStreamByItself() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(typed("text/event-stream;charset=evil;boundary=\"<script>\""));
      peer.then(typed("text/event-stream-of-html"));

      Answer stream = PROXY.send(agent, ADMIN_TOKEN, stream("m-1"));
      Answer other = PROXY.send(agent, ADMIN_TOKEN, stream("m-2"));

      assertThat(stream.text()).isEqualTo("data: 1\n\n");
      assertThat(stream.header("Content-Type"))
          .isEqualToIgnoringCase("text/event-stream;charset=utf-8");
      assertThat(other.field("code")).isEqualTo("BAD_AGENT_RESPONSE");
    }
  }

  private static PeerBehavior typed(String contentType) {
    return PeerBehavior.answer(200, Map.of("Content-Type", contentType), "data: 1\n\n");
  }

  @Test
  void forwardsAnEventBeforeTheStreamEnds() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start();
        Socket client = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
      Agent agent = called(peer);
      peer.then(
          PeerBehavior.eventsInTwo("data: " + WORKING + "\n\n", goOn, "data: " + DONE + "\n\n"));

      BufferedReader answer = ask(client, agent);

      assertThat(lineWith(answer, "false")).isEqualTo("data: " + WORKING);
      assertThat(stored(agent)).isEmpty();
      goOn.countDown();
      assertThat(lineWith(answer, "true")).isEqualTo("data: " + DONE);
    }
  }

  @Test
  void continuesWhenTheClientDisconnects() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(
          PeerBehavior.eventsInTwo("data: " + WORKING + "\n\n", goOn, "data: " + DONE + "\n\n"));
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
        lineWith(ask(client, agent), "false");
      }

      goOn.countDown();

      Awaitility.await().until(() -> stored(agent).equals(DONE));
    }
  }

  @Test
  void answersWithOneDocumentWhereTheAgentDoes() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(PeerBehavior.answer(200, DONE));

      Answer answer = PROXY.send(agent, ADMIN_TOKEN, stream("m"));

      assertThat(answer.header("Content-Type")).startsWith("application/json");
      assertThat(answer.text()).isEqualTo(DONE);
    }
  }

  @Test
  void isUncertainWhenTheStreamBreaksOff() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      peer.then(PeerBehavior.brokenEvents("data: " + WORKING + "\n\ndata: {\"jso"));

      assertThatThrownBy(() -> PROXY.send(agent, ADMIN_TOKEN, stream("m")))
          .hasRootCauseInstanceOf(IOException.class);

      Awaitility.await()
          .until(() ->
              SERVER
                  .database()
                  .value(
                      "SELECT m.state || l.status "
                          + StoredRows.FROM
                          + " WHERE l.workspace_id = '"
                          + agent.id()
                          + "'")
                  .equals("uncertainerror"));
    }
  }

  private static BufferedReader ask(Socket client, Agent agent) throws Exception {
    String body = stream("m");
    client
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(ProxyClient.path(agent.id()), ADMIN_TOKEN, body.length(), body)
                .getBytes(StandardCharsets.UTF_8));
    return new BufferedReader(
        new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String lineWith(BufferedReader answer, String word) throws Exception {
    for (String line = answer.readLine(); line != null; line = answer.readLine()) {
      if (line.contains(word)) {
        return line;
      }
    }
    throw new AssertionError("the stream ended before \"" + word + "\"");
  }

  private static String stream(String id) {
    return ProxyClient.message(id, "hi").replace("message/send", "message/stream");
  }

  private static Agent called(TestPeer peer) {
    return CLIENT.createOnline(
        "Streaming", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
  }

  private static String stored(Agent agent) {
    return SERVER
        .database()
        .value(
            "SELECT coalesce(l.response_body::text, '') "
                + StoredRows.FROM
                + " WHERE l.workspace_id = '"
                + agent.id()
                + "'");
  }
}
