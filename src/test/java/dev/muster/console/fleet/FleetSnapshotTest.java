package dev.muster.console.fleet;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventLog;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** A snapshot is the fleet as of its event, and the events after it lead to the present. */
@Timeout(120)
@Slow
class FleetSnapshotTest {

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final TestServer server = TestServer.startWithoutSweeps();
  private final TestClient client = server.client();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void decodesToWhatTheListOfWorkspacesSays() throws Exception {
    Agent lead = client.createOnline("Lead “7” 🦊", "\"role\":\"plan\"", "\"tier\":2");
    Agent child = client.create("", "\"name\":\"child\"", under(lead), "\"runtime\":\"claude\"");
    client.heartbeat(
        child,
        "\"runtime_state\":\"wedged\"",
        "\"sample_error\":\"" + "é".repeat(300) + "\"",
        "\"active_tasks\":3");
    Agent paused = client.createOnline("paused", under(child));
    client.post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");
    Agent gone = client.create("gone", under(lead));
    client.delete("/workspaces/" + gone.id(), ADMIN_TOKEN);
    Agent push = client.create("push", "\"delivery_mode\":\"push\"");
    client.post(
        "/workspaces/" + push.id() + "/a2a",
        ADMIN_TOKEN,
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}");
    for (int i = 0; i < 20; i++) {
      client.create("more " + i, i % 2 == 0 ? under(lead) : "\"tier\":100");
    }
    server
        .database()
        .execute(
            """
            UPDATE workspace_heartbeats SET stalled = status <> 'paused', active_tasks = 1,
                stalled_since = now() - interval '9 days'
            WHERE status <> 'awaiting_agent'
            """);

    HttpResponse<byte[]> plain = fleet(ADMIN_TOKEN);
    HttpResponse<byte[]> compressed = fleet(ADMIN_TOKEN, "Accept-Encoding", "br, gzip;q=1");

    assertThat(header(plain, "Content-Encoding")).isEmpty();
    assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
    byte[] unzipped =
        new GZIPInputStream(new ByteArrayInputStream(compressed.body())).readAllBytes();
    assertThat(unzipped).isEqualTo(plain.body());
    assertThat(header(plain, "Cache-Control")).isEqualTo("private, no-cache");
    DecodedFleet decoded = DecodedFleet.of(plain.body());
    assertThat(header(plain, "ETag")).isEqualTo("\"" + decoded.seq() + "\"");
    assertThat(decoded.rows()).isEqualTo(listed());
    assertThat(decoded.rows()).hasSize(24);
    assertThat(decoded.rows().stream().filter(row -> row.stalledSince() != null))
        .as("Lead and child; the paused one is no longer stalled")
        .hasSize(2);
    assertThat(decoded.rows().get(1).error()).isEqualTo("é".repeat(160));
    assertThat(
            decoded.rows().stream()
                .filter(row -> row.id().equals(push.id()))
                .findFirst()
                .orElseThrow()
                .flags())
        .isEqualTo(SnapshotColumns.PUSH | SnapshotColumns.QUEUED);
  }

  @Test
  void isEmptyForAnEmptyFleet() throws Exception {
    assertThat(DecodedFleet.of(fleet(ADMIN_TOKEN).body()).rows()).isEmpty();
  }

  @Test
  void isKeptForManyReadersAndNotSentTwice() throws Exception {
    client.create("first");
    HttpResponse<byte[]> one = fleet(ADMIN_TOKEN);
    client.create("second");
    HttpResponse<byte[]> other = fleet(ADMIN_TOKEN);
    String etag = header(one, "ETag");
    HttpResponse<byte[]> unchanged = fleet(ADMIN_TOKEN, "If-None-Match", "\"x\", W/" + etag);

    assertThat(other.body()).isEqualTo(one.body());
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.body()).isEmpty();
    assertThat(header(unchanged, "ETag")).isEqualTo(etag);
  }

  @Test
  void showsAnAgentItsFamilyAndNotWhyPeersAreUnwell() throws Exception {
    Agent lead = client.create("lead");
    Agent self = client.create("self", under(lead));
    Agent peer = client.create("peer", under(lead));
    Agent nephew = client.create("nephew", under(peer));
    for (Agent sick : List.of(self, peer)) {
      client.heartbeat(sick, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"secret\"");
    }

    List<DecodedFleet.Row> rows = DecodedFleet.of(fleet(self.token()).body()).rows();

    assertThat(rows.stream().map(DecodedFleet.Row::id))
        .containsExactly(lead.id(), self.id(), peer.id())
        .doesNotContain(nephew.id());
    assertThat(rows.get(1).reason()).isEqualTo("runtime_wedged");
    assertThat(rows.get(1).error()).isEqualTo("secret");
    assertThat(rows.get(2).status()).isEqualTo("degraded");
    assertThat(rows.get(2).reason()).isNull();
    assertThat(rows.get(2).error()).isNull();
  }

  @Test
  void takesAtMost60BytesARow() throws Exception {
    server
        .database()
        .execute(
            """
            INSERT INTO workspaces (id, name, role, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at, updated_at)
            SELECT gen_random_uuid(), 'Reviewer ' || n, 'code review ' || n % 20, 1, 'claude', '', 'poll', 1, 0, 0, now(), now()
            FROM generate_series(1, 5000) n;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
            SELECT id, 'online', now(), now() FROM workspaces
            """);
    DecodedFleet fleet = DecodedFleet.of(fleet(ADMIN_TOKEN).body());

    assertThat(fleet.rows()).hasSize(5000);
    assertThat(fleet.bytes() / 5000.0).isLessThanOrEqualTo(60);
    assertThat(DecodedFleet.rowBytes()).isEqualTo(44);
  }

  /**
   * Writers change the fleet while snapshots are read; each with its events is the fleet at the
   * end.
   */
  @Test
  void leadsWithTheEventsAfterItToThePresent() throws Exception {
    List<Agent> agents =
        Collections.synchronizedList(
            new ArrayList<>(IntStream.range(0, 12).mapToObj(i -> client.create("w" + i)).toList()));
    FleetReader reader = server.bean(FleetReader.class);
    List<DecodedFleet> snapshots = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger writing = new AtomicInteger(6);
    Race.run(
        7,
        runner -> {
          if (runner == 6) {
            while (writing.get() > 0 && snapshots.size() < 40) {
              DecodedFleet next =
                  DecodedFleet.of(reader.read(new FleetAudience(null)).answer().plain());
              if (snapshots.isEmpty() || snapshots.getLast().seq() != next.seq()) {
                snapshots.add(next);
              }
            }
          } else {
            try {
              change(agents, new Random(runner), 40);
            } finally {
              writing.decrementAndGet();
            }
          }
          return true;
        });
    long head = server.bean(EventLog.class).head();
    client.create("last");
    Map<UUID, String> present = states(listed());

    assertThat(snapshots).hasSizeGreaterThan(3);
    for (DecodedFleet snapshot : snapshots) {
      try (TestSocket socket =
          TestSocket.open(client, "/ws?view=console&after=" + snapshot.seq(), ADMIN_TOKEN)) {
        socket.await(batch -> batch.path("seq").asLong() > head && names(batch, "last"));
        assertThat(applied(snapshot, socket.frames())).isEqualTo(present);
      }
    }
  }

  private void change(List<Agent> agents, Random random, int times) {
    for (int i = 0; i < times; i++) {
      Agent agent = agents.get(random.nextInt(agents.size()));
      switch (random.nextInt(6)) {
        case 0 -> client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
        case 1 -> client.post("/workspaces/" + agent.id() + "/resume", ADMIN_TOKEN, "");
        case 2 ->
            client.heartbeat(
                agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"e" + i + "\"");
        case 3 -> agents.add(client.create("new " + random.nextInt()));
        case 4 -> {
          if (agents.size() > 8) {
            client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
          }
        }
        default -> client.heartbeat(agent, "\"runtime_state\":\"\"", "\"error_rate\":0");
      }
    }
  }

  private static boolean names(JsonNode batch, String name) {
    return batch
        .path("events")
        .valueStream()
        .anyMatch(e -> e.path("name").asString("").equals(name));
  }

  private static Map<UUID, String> states(List<DecodedFleet.Row> rows) {
    Map<UUID, String> states = new TreeMap<>();
    rows.forEach(row -> states.put(row.id(), state(row.status(), row.reason(), row.since())));
    return states;
  }

  private static Map<UUID, String> applied(DecodedFleet snapshot, List<JsonNode> batches) {
    Map<UUID, String> states = states(snapshot.rows());
    for (JsonNode batch : batches) {
      for (JsonNode event : batch.path("events")) {
        UUID id = UUID.fromString(event.path("w").asString());
        if (event.path("status").asString("").equals("removed")) {
          states.remove(id);
        } else if (event.has("status")) {
          states.put(
              id,
              state(
                  event.path("status").asString(),
                  event.path("reason").stringValueOpt().orElse(null),
                  Instant.parse(event.path("since").asString()).truncatedTo(ChronoUnit.SECONDS)));
        }
      }
    }
    return states;
  }

  private static String state(String status, @Nullable String reason, Instant since) {
    return status + " " + reason + " " + since;
  }

  /** The fleet as {@code GET /workspaces} lists it, in the form of a snapshot. */
  private List<DecodedFleet.Row> listed() {
    return client
        .get("/workspaces", ADMIN_TOKEN)
        .json()
        .valueStream()
        .map(w ->
            new DecodedFleet.Row(
                UUID.fromString(w.path("id").asString()),
                w.path("parent_id").stringValueOpt().map(UUID::fromString).orElse(null),
                w.path("name").asString(),
                w.path("role").stringValueOpt().orElse(null),
                w.path("runtime").asString(),
                w.path("tier").asInt(),
                w.path("status").asString(),
                w.path("degraded_reason").stringValueOpt().orElse(null),
                w.path("last_sample_error")
                    .stringValueOpt()
                    .filter(e -> !e.isEmpty())
                    .map(e -> e.substring(0, Math.min(160, e.length())))
                    .orElse(null),
                seconds(w.path("status_since").asString()),
                w.path("last_heartbeat_at")
                    .stringValueOpt()
                    .map(FleetSnapshotTest::seconds)
                    .orElse(null),
                w.path("active_tasks").asInt(),
                (w.path("delivery_mode").asString().equals("push")
                        ? SnapshotColumns.PUSH | SnapshotColumns.QUEUED
                        : 0)
                    | (w.path("stalled").asBoolean() ? SnapshotColumns.STALLED : 0),
                w.path("stalled_since")
                    .stringValueOpt()
                    .map(FleetSnapshotTest::seconds)
                    .orElse(null)))
        .toList();
  }

  private static Instant seconds(String time) {
    return Instant.parse(time).truncatedTo(ChronoUnit.SECONDS);
  }

  private static String under(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }

  private HttpResponse<byte[]> fleet(String token, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(client.baseUrl() + "/console/fleet"))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer " + token);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }
}
