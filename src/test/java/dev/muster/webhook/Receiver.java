package dev.muster.webhook;

import dev.muster.testing.FastPace;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A webhook's receiver on a real socket, and the clock of its server: rows that grow older. */
record Receiver(TestPeer peer, TestDatabase database) implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final String UNREPORTED =
      "CASE WHEN well_at IS NULL THEN reported_in IS NULL ELSE well_reported_at IS NULL END";

  static Receiver start(TestDatabase database) throws IOException {
    return new Receiver(TestPeer.start().usually(PeerBehavior.answer(200, "")), database);
  }

  /** Starts a server that often sends to this receiver, and waits until it collects. */
  TestServer startServer(String... settings) {
    TestServer server =
        TestServer.startWith(
            database,
            List.of(FastPace.class),
            Stream.concat(
                    Stream.of(
                        setting(),
                        "AGENT_URL_ALLOW=loopback",
                        "STALE_AFTER_S=500"), // more than the tests of a class take
                    Stream.of(settings))
                .toArray(String[]::new));
    Awaitility.await().until(() -> number("SELECT count(*) FROM webhook_head") == 1);
    return server;
  }

  String setting() {
    return "WEBHOOK_URL=" + url();
  }

  String url() {
    return "http://127.0.0.1:" + peer.port() + "/hook/of-a-secret-path";
  }

  /** Creates an agent that is degraded with this error. */
  static Agent degrade(TestClient client, String error) {
    Agent agent = client.createOnline("Failing");
    client.heartbeat(agent, "\"error_rate\":0.9", "\"sample_error\":\"" + error + "\"");
    return agent;
  }

  /** Creates an agent that is stalled, once a sweep has found it. */
  Agent stall(TestClient client, String errorRate) {
    Agent agent = client.createOnline("Stalled", "\"delivery_mode\":\"poll\"");
    client.heartbeat(agent, "\"active_tasks\":1", "\"current_task\":\"look\"", errorRate);
    database.execute(
        "UPDATE workspace_heartbeats SET busy_since = now() - interval '1 hour' WHERE workspace_id"
            + " = '"
            + agent.id()
            + "'");
    return agent;
  }

  /** Forgets all troubles, notifications and uptime gaps, so that tests can share a server. */
  void clear() {
    database.execute(
        """
        DELETE FROM webhook_troubles; DELETE FROM webhook_notifications;
        UPDATE control_plane_uptime SET up_since = now() - interval '1 day', alive_until = now()
        """);
  }

  /** Waits until so many troubles, or ends of them, are collected and not told yet. */
  void awaitCollected(int count) {
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(
            () -> number("SELECT count(*) FROM webhook_troubles WHERE " + UNREPORTED),
            found -> found == count);
  }

  /** Lets a minute pass for what was collected and for what was told. */
  void letAMinutePass() {
    database.execute(
        """
        UPDATE webhook_troubles SET noticed_at = noticed_at - interval '1 minute', well_at = well_at - interval '1 minute';
        UPDATE webhook_notifications SET created_at = created_at - interval '1 minute'
        """);
  }

  /** Lets the pause between two attempts, and the claim of a killed server, pass. */
  void letThePausePass() {
    database.execute("UPDATE webhook_notifications SET next_attempt_at = now()");
  }

  /** Waits for the collected troubles, lets them settle, and returns the one notification. */
  JsonNode tell(int collected) {
    int before = bodies().size();
    awaitCollected(collected);
    letAMinutePass();
    return await(before + 1).getLast();
  }

  /** Waits until so many requests have come in all, and returns their bodies. */
  List<JsonNode> await(int count) {
    Awaitility.await().atMost(TIMEOUT).until(() -> bodies().size() >= count);
    return bodies();
  }

  /** Waits until the loop of the only server has collected once more from now on. */
  static void awaitCollection(TestServer server) {
    int runs = loop(server).path("runs").asInt();
    Awaitility.await().atMost(TIMEOUT).until(() -> loop(server).path("runs").asInt() >= runs + 2);
  }

  /** Returns the state of the webhook's loop. */
  static JsonNode loop(TestServer server) {
    for (JsonNode loop :
        server.client().get("/admin/liveness", TestServer.ADMIN_TOKEN).json().path("loops")) {
      if (loop.path("name").asString().equals("webhook")) {
        return loop;
      }
    }
    throw new AssertionError("no loop webhook");
  }

  List<JsonNode> bodies() {
    return peer.deliveries().stream()
        .map(delivery -> JsonMapper.shared().readTree(delivery.body()))
        .toList();
  }

  int number(String sql) {
    return Integer.parseInt(database.value(sql));
  }

  @Override
  public void close() throws IOException {
    peer.close();
  }
}
