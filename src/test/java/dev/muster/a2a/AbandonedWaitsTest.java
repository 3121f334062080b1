package dev.muster.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpTable;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Senders that disconnect hold nothing for long, whatever timeout they asked for: a wait for a poll
 * agent ends within a minute (R7.8, R7.11).
 */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class AbandonedWaitsTest {

  /** Few enough that a busy machine starts the last wait before the first one ends. */
  private static final int SENDS = 100;

  /** Enough that the server starts a wait in some milliseconds. */
  private static final int WARM_UP = 40;

  /** Unlimited, a day, an hour, and an absurd number. */
  private static final List<String> TIMEOUTS = List.of("0", "86400", "3600", "1e300");

  /** The longest wait, and the time that a busy machine takes to end all of them. */
  private static final Duration A_MINUTE = FastPace.seconds(60).plusSeconds(15);

  /** Those that the client of this test keeps. */
  private static final int OTHER_CONNECTIONS = 10;

  @Test
  void releasesWaitsAndConnectionsOfDisconnectedSendersWithinAMinute() throws IOException {
    try (TestServer server =
        TestServer.startWith(TestDatabases.create(), List.of(FastPace.class))) {
      TestClient client = server.client();
      Agent lead = client.create("Lead");
      Agent polling = client.create("Polling", "\"parent_id\":\"" + lead.id() + "\"");
      warmUp(client, lead, polling);

      List<Socket> senders = new ArrayList<>();
      for (int n = 0; n < SENDS; n++) {
        senders.add(send(client, lead, polling, "m-" + n, TIMEOUTS.get(n % TIMEOUTS.size())));
      }
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> waiting(server) == SENDS);
      assertThat(TcpTable.openAt(server.port())).isGreaterThanOrEqualTo(SENDS);
      for (Socket sender : senders) {
        sender.close();
      }

      Awaitility.await().atMost(A_MINUTE).until(() -> waiting(server) == 0);
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> TcpTable.openAt(server.port()) < OTHER_CONNECTIONS);
    }
  }

  private static void warmUp(TestClient client, Agent from, Agent to) throws IOException {
    for (int n = 0; n < WARM_UP; n++) {
      try (Socket sender = send(client, from, to, "warm-up-" + n, "0.01")) {
        assertThat(sender.getInputStream().read()).isNotNegative();
      }
    }
  }

  private static Socket send(TestClient client, Agent from, Agent to, String id, String timeout)
      throws IOException {
    byte[] body = ProxyClient.message(id, "please").getBytes(StandardCharsets.UTF_8);
    String head =
        """
        POST %s HTTP/1.1\r
        Host: 127.0.0.1\r
        Authorization: Bearer %s\r
        X-Timeout: %s\r
        Content-Length: %d\r
        \r
        """
            .formatted(ProxyClient.path(to.id()), from.token(), timeout, body.length);
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(client.baseUrl()).getPort());
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(body);
    return socket;
  }

  private static double waiting(TestServer server) {
    return server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value();
  }
}
