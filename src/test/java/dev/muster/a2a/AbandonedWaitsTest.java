package dev.muster.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.PacedServer;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
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

  /** Descriptors of the server itself: database connections, and files opened meanwhile. */
  private static final int OTHER_DESCRIPTORS = 40;

  @Test
  void releasesWaitsAndDescriptorsOfDisconnectedSendersWithinAMinute(@TempDir Path home)
      throws IOException {
    try (ServerProcess server =
        ServerProcess.start(
            PacedServer.class, home, Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN))) {
      TestClient client = server.awaitReady().client();
      Agent lead = client.create("Lead");
      Agent polling = client.create("Polling", "\"parent_id\":\"" + lead.id() + "\"");
      warmUp(client, lead, polling);
      long before = descriptors(server);

      List<Socket> senders = new ArrayList<>();
      for (int n = 0; n < SENDS; n++) {
        senders.add(send(client, lead, polling, "m-" + n, TIMEOUTS.get(n % TIMEOUTS.size())));
      }
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> waiting(client) == SENDS);
      assertThat(descriptors(server)).isGreaterThanOrEqualTo(before + SENDS);
      for (Socket sender : senders) {
        sender.close();
      }

      Awaitility.await().atMost(A_MINUTE).until(() -> waiting(client) == 0);
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> descriptors(server) < before + OTHER_DESCRIPTORS);
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

  private static double waiting(TestClient client) {
    return client
        .get("/metrics", null)
        .text()
        .lines()
        .filter(line -> line.startsWith("muster_polls_waiting "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static long descriptors(ServerProcess server) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc", "" + server.pid(), "fd"))) {
      return open.count();
    }
  }
}
