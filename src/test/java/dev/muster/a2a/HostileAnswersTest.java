package dev.muster.a2a;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hostile answers of agents do not affect other agents, on a server with a small heap. */
@Slow
@Timeout(240)
class HostileAnswersTest {

  private static final int MIB = 1 << 20;
  private static final int DRIPPING = 10;
  private static final int STREAMING = 30;
  private static final byte[] PIECE = "x".repeat(MIB).getBytes(StandardCharsets.UTF_8);
  private static final String LARGE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "x".repeat(8 * MIB) + "\"}";

  @Test
  void leaveOtherAgentsTheirLargeAnswersAndHeartbeats(@TempDir Path folder) throws IOException {
    Map<String, String> settings =
        Map.of(
            "ADMIN_TOKEN",
            ADMIN_TOKEN,
            "DATABASE_URL",
            TestDatabases.create().url(),
            "AGENT_URL_ALLOW",
            "loopback",
            "JAVA_TOOL_OPTIONS",
            "-Xmx640m");
    try (TestPeer dripping = TestPeer.start().usually(promising64MibAndSending34());
        TestPeer streaming = TestPeer.start().usually(oneLineWithoutAnEnd());
        TestPeer honest = TestPeer.start().usually(PeerBehavior.answer(200, LARGE));
        ServerProcess server = ServerProcess.start(folder.resolve("home"), settings).awaitReady()) {
      TestClient client = server.client();
      Agent owner = client.createOnline("Owner");
      for (int i = 0; i < DRIPPING; i++) {
        sendAndHangUp(client, owner.token(), called(client, owner, dripping), "message/send");
      }
      for (int i = 0; i < STREAMING; i++) {
        sendAndHangUp(client, owner.token(), called(client, owner, streaming), "message/stream");
      }
      Agent victim = client.createOnline("Victim");
      Agent answering = called(client, victim, honest);
      dripping.awaitDeliveries(DRIPPING);
      streaming.awaitDeliveries(STREAMING);

      for (int i = 0; i < 3; i++) {
        Answer answer =
            client.post(
                ProxyClient.path(answering.id()),
                victim.token(),
                ProxyClient.message("m-" + i, "hi"),
                "X-Timeout",
                "25");
        assertThat(answer.status()).as(shortened(answer)).isEqualTo(200);
        assertThat(client.heartbeat(victim).status()).isEqualTo(200);
        assertThat(client.get("/health", null).status()).isEqualTo(200);
      }
      assertThat(server.output()).doesNotContain("OutOfMemoryError");
    }
  }

  private static String shortened(Answer answer) {
    return answer.text().substring(0, Math.min(300, answer.text().length()));
  }

  private static Agent called(TestClient client, Agent parent, TestPeer peer) {
    return client.createOnline(
        "Called",
        "\"parent_id\":\"" + parent.id() + "\"",
        "\"delivery_mode\":\"push\"",
        "\"url\":\"" + peer.url() + "\"");
  }

  /** The delivery continues without its client. */
  private static void sendAndHangUp(TestClient client, String token, Agent to, String method)
      throws IOException {
    URI server = URI.create(client.baseUrl());
    String body = ProxyClient.message("m", "hi").replace("message/send", method);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
      socket
          .getOutputStream()
          .write(
              "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nX-Timeout: 86400\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(ProxyClient.path(to.id()), token, body.length(), body)
                  .getBytes(StandardCharsets.UTF_8));
      socket.setSoTimeout(300);
      var _ = read(socket);
    }
  }

  /** Whether a response has begun; by then the request was read. */
  private static boolean read(Socket socket) {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (IOException nothingYet) {
      return false;
    }
  }

  private static PeerBehavior promising64MibAndSending34() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + 64 * MIB + "\r\n\r\n\"");
      for (int i = 0; i < 34; i++) {
        exchange.send(PIECE);
      }
      while (!exchange.awaitRelease(Duration.ofMillis(100))) {
        exchange.send("x");
      }
      return false;
    };
  }

  private static PeerBehavior oneLineWithoutAnEnd() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ");
      for (int i = 0; i < 16; i++) {
        exchange.send(PIECE);
      }
      exchange.awaitRelease();
      return false;
    };
  }
}
