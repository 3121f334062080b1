package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TcpTable;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Senders that disconnect or do not read hold nothing for long, whatever timeout they asked for: a
 * wait for a poll agent ends within a minute (R7.8, R7.11), and an agent's stream goes on without
 * its client (R7.9).
 */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class AbandonedWaitsTest {

  /** Few enough that a busy machine starts the last wait before the first one ends. */
  private static final int SENDS = 20;

  /** Enough that the server starts a wait in some milliseconds. */
  private static final int WARM_UP = 40;

  /** Unlimited, a day, an hour, and an absurd number. */
  private static final List<String> TIMEOUTS = List.of("0", "86400", "3600", "1e300");

  /** The longest wait, and the time that a busy machine takes to end all of them. */
  private static final Duration A_MINUTE = FastPace.seconds(60).plusSeconds(15);

  /** Those that the client of this test keeps. */
  private static final int OTHER_CONNECTIONS = 10;

  /** A stream of 16 MB, more than the sockets between the server and its client hold. */
  private static final String[] LONG_STREAM =
      Collections.nCopies(2000, "x".repeat(8000)).toArray(String[]::new);

  private static TestServer server;
  private static TestClient client;

  @BeforeAll
  static void start() {
    server =
        TestServer.startWith(
            TestDatabases.create(), List.of(FastPace.class), "AGENT_URL_ALLOW=loopback");
    client = server.client();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void releasesWaitsAndConnectionsOfDisconnectedSendersWithinAMinute() throws IOException {
    Agent lead = client.create("Lead");
    Agent polling = client.create("Polling", "\"parent_id\":\"" + lead.id() + "\"");
    warmUp(lead, polling);

    List<Socket> senders = new ArrayList<>();
    for (int n = 0; n < SENDS; n++) {
      senders.add(send(lead, polling, "m-" + n, TIMEOUTS.get(n % TIMEOUTS.size())));
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> waiting() == SENDS);
    assertThat(TcpTable.openAt(server.port())).isGreaterThanOrEqualTo(SENDS);
    for (Socket sender : senders) {
      sender.close();
    }

    Awaitility.await().atMost(A_MINUTE).until(() -> waiting() == 0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> TcpTable.openAt(server.port()) < OTHER_CONNECTIONS);
  }

  @Test
  void releasesTheStreamOfASenderThatDoesNotRead() throws IOException {
    try (TestPeer peer = TestPeer.start();
        Socket sender = new Socket()) {
      Agent agent =
          client.createOnline(
              "Streaming", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      peer.then(PeerBehavior.events(LONG_STREAM));
      sender.setReceiveBufferSize(4096);
      sender.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      request(
          sender,
          agent,
          ADMIN_TOKEN,
          "0",
          ProxyClient.message("m", "hi").replace("message/send", "message/stream"));

      Awaitility.await()
          .atMost(FastPace.seconds(10).plusSeconds(15))
          .until(() -> state(agent).equals("answered"));

      // what the client reads too late does not look complete
      sender.setSoTimeout(20_000);
      String rest = new String(sender.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(rest)
          .contains("the client did not read the stream")
          .doesNotEndWith("\r\n0\r\n\r\n");
    }
  }

  private static void warmUp(Agent from, Agent to) throws IOException {
    for (int n = 0; n < WARM_UP; n++) {
      try (Socket sender = send(from, to, "warm-up-" + n, "0.01")) {
        assertThat(sender.getInputStream().read()).isNotNegative();
      }
    }
  }

  private static Socket send(Agent from, Agent to, String id, String timeout) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    request(socket, to, from.token(), timeout, ProxyClient.message(id, "please"));
    return socket;
  }

  private static void request(Socket sender, Agent to, String token, String timeout, String body)
      throws IOException {
    sender
        .getOutputStream()
        .write(
            """
            POST %s HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer %s\r
            X-Timeout: %s\r
            Content-Length: %d\r
            \r
            %s\
            """
                .formatted(ProxyClient.path(to.id()), token, timeout, body.length(), body)
                .getBytes(StandardCharsets.US_ASCII));
  }

  private static String state(Agent agent) {
    return server
        .database()
        .value(
            "SELECT coalesce(max(m.state), '') "
                + StoredRows.FROM
                + " WHERE l.workspace_id = '"
                + agent.id()
                + "'");
  }

  private static double waiting() {
    return server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value();
  }
}
