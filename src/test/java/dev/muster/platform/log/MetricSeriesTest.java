package dev.muster.platform.log;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Values that callers choose create no metric series, which would be kept for ever and read by
 * every scrape.
 */
@Slow
@Timeout(180)
class MetricSeriesTest {

  private static final List<Integer> OWN_STATUSES =
      Arrays.stream(ErrorCode.values())
          .map(code -> code.status().value())
          .filter(status -> status < 500)
          .distinct()
          .toList();
  private static final int MANY = 120;
  private static final int MAX_SERIES = 1_000;

  @Test
  void doNotGrowWithValuesThatCallersChoose() throws Exception {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start()) {
      TestClient client = server.client();
      Agent agent = client.create("Called");
      register(client, agent, peer.url());
      for (int n = 0; n < OWN_STATUSES.size(); n++) {
        sendNewValues(server, client, agent, peer, n, OWN_STATUSES.get(n));
      }
      sendNewValues(server, client, agent, peer, 99, 418);
      sendNewValues(server, client, agent, peer, 100, 420);
      Set<String> before = afterNextScrape(client);

      for (int n = 101; n < 101 + MANY; n++) {
        sendNewValues(server, client, agent, peer, n, 400 + n % 100);
      }

      Set<String> changed = afterNextScrape(client);
      assertThat(changed).hasSizeLessThan(MAX_SERIES);
      changed.removeAll(before);
      // after a pause of the machine a request is refused (R0.6), by a status of the server's own
      changed.removeIf(series -> series.contains("status=\"503\""));
      assertThat(changed).isEmpty();
    }
  }

  /** Sends new values in every place where a caller or an agent may choose one. */
  private static void sendNewValues(
      TestServer server, TestClient client, Agent agent, TestPeer peer, int n, int status) {
    String path = "/workspaces/" + agent.id();
    client.get("/nothing-" + n + "?q=" + n, n % 2 == 0 ? ADMIN_TOKEN : null);
    client.get(path + "/nothing/" + n, agent.token());
    client.get("/workspaces/" + UUID.randomUUID(), ADMIN_TOKEN);
    client.get("/workspaces/no-id-" + n, ADMIN_TOKEN);
    client.get("/events?type=T" + n, ADMIN_TOKEN);
    for (String target : List.of("/health", "/nothing", path)) {
      RawHttp.send(server.port(), "BREW" + n + " " + target, List.of("X-" + n + ": " + n));
    }
    RawHttp.send(server.port(), "GET /%zz" + n, List.of("Upgrade: u" + n));
    String type = "\"type-" + n + "\"";
    client.post(path + "/activity", agent.token(), "{\"activity_type\":" + type + "}");
    client.post(
        path + "/runtime-events",
        agent.token(),
        "{\"type\":\"RuntimeError\",\"payload\":{\"task_name\":\"t%d\",\"kind\":%s,\"message\":\"\"}}"
            .formatted(n, type));
    client.heartbeat(agent, "\"runtime_state\":" + type, "\"current_task\":" + type);
    peer.usually(PeerBehavior.answer(status, "{\"status\":" + type + "}"));
    client.post(
        path + "/a2a",
        ADMIN_TOKEN,
        """
        {"jsonrpc":"2.0","id":1,"method":"method/%d","params":{"message":{"messageId":"m-%d","parts":[]}}}\
        """
            .formatted(n, n),
        "X-Timeout",
        "30");
  }

  private static void register(TestClient client, Agent agent, String url) {
    String body =
        "{\"id\":\"%s\",\"agent_card\":{\"name\":\"x\"},\"url\":\"%s\",\"delivery_mode\":\"push\"}"
            .formatted(agent.id(), url);
    assertThat(client.post("/registry/register", agent.token(), body).status()).isEqualTo(200);
  }

  /** The series of a page that was made after the last request. */
  private static Set<String> afterNextScrape(TestClient client) {
    Agent marker = client.createOnline("last");
    double heartbeats = heartbeats(client);
    assertThat(client.heartbeat(marker).status()).isEqualTo(200);
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> heartbeats(client) > heartbeats);
    return series(client);
  }

  private static double heartbeats(TestClient client) {
    return client
        .get("/metrics", null)
        .text()
        .lines()
        .filter(line -> line.startsWith("muster_heartbeats_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  /**
   * Names and tags without values; without those of the JVM, which appear with its collections, and
   * of the nightly jobs, which appear with their first run.
   */
  private static Set<String> series(TestClient client) {
    return client
        .get("/metrics", null)
        .text()
        .lines()
        .filter(line -> !line.startsWith("#") && !line.startsWith("jvm_"))
        .filter(line -> !line.contains("-retention\""))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
