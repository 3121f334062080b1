package dev.muster.webhook;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer.Delivery;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** What the webhook's receiver is told, of a server that sweeps by itself. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.SAME_THREAD)
class WebhookTest {

  private static final String SECRET = "a-secret-of-the-tests";
  private static final TestDatabase DATABASE = TestDatabases.create();

  private static TestServer server;
  private static Receiver receiver;

  @BeforeAll
  static void start() throws Exception {
    receiver = Receiver.start(DATABASE);
    server =
        receiver.startServer(
            "WEBHOOK_SECRET=" + SECRET,
            "PUBLIC_URL=https://muster.example",
            "LIVENESS_SWEEP_INTERVAL_S=1");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    receiver.close();
  }

  @BeforeEach
  void clear() {
    receiver.clear();
  }

  @Test
  void tellsOfOtherCausesWhenTheNotificationOfOneCannotBeStored() {
    try (Poison poison =
        Poison.check(server, "webhook", "webhook_notifications", "pattern <> 'poison'")) {
      Receiver.degrade(client(), "poison");
      Receiver.degrade(client(), "quota");

      assertThat(receiver.tell(2).path("cause").path("pattern").asString()).isEqualTo("quota");
      Receiver.awaitCollection(server);

      assertThat(poison.lines("poison")).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  @Test
  void sendsTheOthersWhenOneNotificationCannotBeClaimed() {
    try (Poison poison =
        Poison.check(
            server, "webhook", "webhook_notifications", "attempts = 0 OR pattern <> 'poison'")) {
      Receiver.degrade(client(), "poison");
      receiver.awaitCollected(1);
      receiver.letAMinutePass();
      Awaitility.await().until(() -> poison.counted() == 1);
      Receiver.degrade(client(), "quota");

      assertThat(receiver.tell(1).path("cause").path("pattern").asString()).isEqualTo("quota");

      String unsent =
          "SELECT id FROM webhook_notifications WHERE ended_at IS NULL AND pattern = 'poison'";
      assertThat(poison.lines(server.database().value(unsent))).hasSize(1);
    }
  }

  @Test
  void tellsTheOtherRecoveriesWhenOneCannotBeStored() {
    Agent poisoned = Receiver.degrade(client(), "poison");
    Agent other = Receiver.degrade(client(), "quota");
    receiver.tell(2);
    receiver.letAMinutePass();
    try (Poison poison =
        Poison.check(
            server, "webhook", "webhook_troubles", "well_at IS NULL OR pattern <> 'poison'")) {
      client().heartbeat(poisoned, "\"error_rate\":0");
      client().heartbeat(other, "\"error_rate\":0");

      JsonNode report = receiver.tell(1);
      assertThat(report.path("kind").asString()).isEqualTo("recovered");
      assertThat(report.path("cause").path("pattern").asString()).isEqualTo("quota");
      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
    }
  }

  @Test
  void tellsOfOtherCausesWhenOneThatIsPausedCannotBeForgotten() {
    Agent poisoned = Receiver.degrade(client(), "poison");
    Agent other = Receiver.degrade(client(), "quota");
    receiver.tell(2);
    try (Poison poison =
        Poison.deletion(server, "webhook", "webhook_troubles", "old.pattern = 'poison'")) {
      client().post("/workspaces/" + poisoned.id() + "/pause", ADMIN_TOKEN, "");
      client().post("/workspaces/" + other.id() + "/pause", ADMIN_TOKEN, "");
      Awaitility.await().until(() -> poison.counted() == 1);
      Receiver.degrade(client(), "disk");

      assertThat(receiver.tell(1).path("cause").path("pattern").asString()).isEqualTo("disk");
      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
      assertThat(
              DATABASE.value(
                  "SELECT string_agg(pattern, ', ' ORDER BY pattern) FROM webhook_troubles"))
          .isEqualTo("disk, poison");
    }
  }

  @Test
  void tellsADegradedAgentWithItsErrorWithoutSecrets() {
    Agent agent = client().createOnline("Reviewer <4711>");
    client()
        .heartbeat(
            agent,
            "\"runtime_state\":\"wedged\"",
            "\"sample_error\":\"timeout of 30 s, token=sk-ant-api03-abcdefghijklmnop\"");

    JsonNode report = receiver.tell(1);

    assertThat(report.path("kind").asString()).isEqualTo("degraded");
    assertThat(report.path("cause").toString())
        .isEqualTo(
            "{\"status\":\"degraded\",\"reason\":\"runtime_wedged\",\"pattern\":\"timeout of # s,"
                + " token=[redacted]\"}");
    assertThat(report.path("count").asInt()).isEqualTo(1);
    JsonNode workspace = report.path("workspaces").path(0);
    assertThat(workspace.path("id").asString()).isEqualTo(agent.id().toString());
    assertThat(workspace.path("name").asString()).isEqualTo("Reviewer <4711>");
    assertThat(workspace.path("status").asString()).isEqualTo("degraded");
    assertThat(workspace.path("error").asString()).isEqualTo("timeout of 30 s, token=[redacted]");
    assertThat(workspace.path("since")).isEqualTo(report.path("since"));
    assertThat(report.path("url").asString())
        .isEqualTo("https://muster.example/ui/w/" + agent.id());
    assertThat(report.path("text").asString())
        .startsWith("Workspace “Reviewer ‹4711›” is degraded since ")
        .endsWith("token=(redacted)”. https://muster.example/ui/w/" + agent.id());
  }

  @Test
  void tellsStuckDelegationsAndThatTheyGoOn() {
    Agent team = client().create("Team");
    String sibling = "\"delivery_mode\":\"poll\",\"parent_id\":\"" + team.id() + "\"";
    Agent caller = client().createOnline("Caller", sibling);
    Agent callee = client().createOnline("Callee", sibling);
    String id =
        client()
            .post(
                "/workspaces/" + caller.id() + "/delegate",
                caller.token(),
                "{\"target_id\":\"" + callee.id() + "\",\"task\":\"look\"}")
            .field("delegation_id");
    Awaitility.await()
        .until(() -> DATABASE.value("SELECT max(status) FROM delegations").equals("dispatched"));
    DATABASE.execute(
        "UPDATE delegations SET status = 'in_progress', last_heartbeat = now() - interval '1"
            + " hour'");
    client().post("/admin/delegations/sweep", ADMIN_TOKEN, "");

    JsonNode report = receiver.tell(1);

    assertThat(report.path("kind").asString()).isEqualTo("stuck");
    JsonNode delegation = report.path("delegations").path(0);
    assertThat(delegation.path("id").asString()).isEqualTo(id);
    assertThat(delegation.path("from").asString()).isEqualTo(caller.id().toString());
    assertThat(delegation.path("to").asString()).isEqualTo(callee.id().toString());
    assertThat(delegation.path("from_name").asString()).isEqualTo("Caller");
    assertThat(delegation.path("to_name").asString()).isEqualTo("Callee");
    assertThat(report.path("text").asString())
        .startsWith("Delegation " + id + " (“Caller” to “Callee”) is stuck since ")
        .endsWith(": the callee fell silent. https://muster.example/ui/trace/" + id);

    client()
        .post(
            "/workspaces/" + callee.id() + "/delegations/" + id + "/heartbeat", callee.token(), "");
    assertThat(receiver.tell(1).path("text").asString())
        .startsWith(
            "Delegation " + id + " (“Caller” to “Callee”) is no longer stuck; it was stuck");
  }

  @Test
  void tellsAStalledAgentAndThatItWritesAgain() {
    Agent agent = receiver.stall(client(), "\"error_rate\":0");

    JsonNode report = receiver.tell(1);
    assertThat(report.path("kind").asString()).isEqualTo("stuck");
    assertThat(report.path("text").asString()).startsWith("Workspace “Stalled” is stalled since ");
    assertThat(report.path("workspaces").path(0).path("since").asString())
        .isEqualTo(client().read(agent).path("stalled_since").asString());

    client().heartbeat(agent, "\"active_tasks\":0");
    assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("recovered");
  }

  @Test
  void tellsADegradedAgentThatIsStalledTooAsTwoTroubles() {
    Agent agent = receiver.stall(client(), "\"error_rate\":0.9");
    receiver.awaitCollected(2);
    int before = receiver.bodies().size();
    receiver.letAMinutePass();
    List<JsonNode> report = receiver.await(before + 2).subList(before, before + 2);
    assertThat(ofKind("degraded", report).path("count").asInt()).isEqualTo(1);
    assertThat(ofKind("stuck", report).path("count").asInt()).isEqualTo(1);

    client().heartbeat(agent, "\"active_tasks\":0", "\"error_rate\":0.9");
    JsonNode recovered = receiver.tell(1);
    assertThat(recovered.path("text").asString())
        .startsWith("Workspace “Stalled” is no longer stalled; ");
    assertThat(recovered.path("workspaces").path(0).path("status").asString())
        .isEqualTo("degraded");

    client().heartbeat(agent, "\"active_tasks\":0", "\"error_rate\":0");
    assertThat(receiver.tell(1).path("text").asString())
        .startsWith("Workspace “Stalled” is well again; it was degraded since ");
  }

  /** Neither a trouble that was told has ended well, nor is one told that was not yet. */
  @Test
  void saysNothingOfARemovedBranch() {
    Agent root = Receiver.degrade(client(), "quota");
    Agent stalled = receiver.stall(client(), "\"error_rate\":0");
    receiver.awaitCollected(2);
    int before = receiver.bodies().size();
    receiver.letAMinutePass();
    receiver.await(before + 2);
    String below = "\"parent_id\":\"" + root.id() + "\"";
    client().patch("/workspaces/" + stalled.id(), ADMIN_TOKEN, "{" + below + "}");
    client().heartbeat(client().createOnline("Not told yet", below), "\"error_rate\":0.9");
    receiver.awaitCollected(1);

    Answer removed = client().delete("/workspaces/" + root.id() + "?confirm=true", ADMIN_TOKEN);

    assertThat(removed.json().path("cascade_deleted").asInt()).isEqualTo(2);
    Awaitility.await().until(() -> receiver.number("SELECT count(*) FROM webhook_troubles") == 0);
    receiver.letAMinutePass();
    Receiver.awaitCollection(server);
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(2);
    Receiver.degrade(client(), "quota");
    JsonNode report = receiver.tell(1);
    assertThat(report.path("kind").asString()).isEqualTo("degraded");
    assertThat(List.of(report.path("new").asInt(), report.path("count").asInt()))
        .containsExactly(1, 1);
    assertThat(receiver.bodies()).hasSize(before + 3);
  }

  @Test
  void tellsAMassSilenceAndItsEndInWords() {
    int before = receiver.bodies().size();
    suspend();

    // few are silent, so a sweep ends the hold
    List<JsonNode> report = receiver.await(before + 2).subList(before, before + 2);

    JsonNode begin = ofKind("offline", report);
    assertThat(begin.path("count").asInt()).isEqualTo(1600);
    assertThat(begin.path("workspaces").isEmpty()).isTrue();
    assertThat(begin.path("text").asString())
        .startsWith(
            "1,600 of 2,000 agents fell silent at once. None is taken offline until 2026-11-25"
                + " 02:31 UTC.");
    assertThat(ofKind("recovered", report).path("text").asString())
        .startsWith("Silent agents are taken offline again");
  }

  private static void suspend() {
    DATABASE.execute("UPDATE control_plane_uptime SET hold_since = now()");
    server.record(
        new NewEvent(
            EventType.LIVENESS_SUSPENDED,
            null,
            Map.of("silent", 1600, "live", 2000, "hold_until", "2026-11-25T02:31:00Z")));
  }

  @Test
  void tellsTheEndOfAnUptimeGapInWords() {
    client().createOnline("Well");
    int before = receiver.bodies().size();
    DATABASE.execute(
        "UPDATE control_plane_uptime SET up_since = now() - interval '5 minutes', down_since ="
            + " '2026-11-25 02:14:03Z'");

    JsonNode report = receiver.await(before + 1).getLast();

    assertThat(report.path("kind").asString()).isEqualTo("recovered");
    assertThat(report.path("cause").path("reason").asString()).isEqualTo("uptime_gap");
    assertThat(report.path("since").asString()).isEqualTo("2026-11-25T02:14:03Z");
    assertThat(report.path("text").asString())
        .startsWith("The server is up again since ")
        .contains("; no replica worked from 2026-11-25 02:14 UTC on. ");
  }

  /** Its end is not told either when its begin could not be. */
  @Test
  void tellsOfCausesWhenAMassSilenceCannotBeStored() {
    try (Poison poison =
        Poison.check(server, "webhook", "webhook_notifications", "reason <> 'mass_silence'")) {
      suspend();
      Awaitility.await().until(() -> poison.counted() == 1);
      Receiver.degrade(client(), "quota");

      assertThat(receiver.tell(1).path("cause").path("pattern").asString()).isEqualTo("quota");
      assertThat(DATABASE.value("SELECT hold_reported FROM webhook_head")).isEqualTo("f");

      DATABASE.execute("UPDATE webhook_head SET hold_reported = true"); // as if it had been told
      Awaitility.await()
          .untilAsserted(() -> assertThat(poison.lines("the end of a mass silence")).isNotEmpty());
      Receiver.degrade(client(), "other");
      assertThat(receiver.tell(1).path("cause").path("pattern").asString()).isEqualTo("other");
      assertThat(DATABASE.value("SELECT hold_reported FROM webhook_head")).isEqualTo("t");
    } finally {
      DATABASE.execute("UPDATE webhook_head SET hold_reported = false");
    }
  }

  @Test
  void tellsOfCausesWhenTheEndOfAnUptimeGapCannotBeStored() {
    String isToBeTold =
        "SELECT h.up_since <> u.up_since FROM webhook_head h, control_plane_uptime u";
    try (Poison poison =
        Poison.check(server, "webhook", "webhook_notifications", "reason <> 'uptime_gap'")) {
      DATABASE.execute(
          "UPDATE control_plane_uptime SET up_since = now() - interval '5 minutes', down_since ="
              + " now() - interval '9 minutes'");
      Awaitility.await()
          .untilAsserted(() -> assertThat(poison.lines("the end of an uptime gap")).hasSize(1));
      Receiver.degrade(client(), "quota");

      assertThat(receiver.tell(1).path("cause").path("pattern").asString()).isEqualTo("quota");
      assertThat(DATABASE.value(isToBeTold)).isEqualTo("t");
    }
  }

  @Test
  void signsWhatItSendsAndAsksForNoSecretInTheUrl() {
    Receiver.degrade(client(), "signed");
    receiver.tell(1);
    Delivery sent = receiver.peer().deliveries().getLast();

    assertThat(sent.requestLine()).isEqualTo("POST /hook/of-a-secret-path HTTP/1.1");
    assertThat(sent.header("content-type")).isEqualTo("application/json");
    String signature = sent.header("x-muster-signature");
    long time = Long.parseLong(signature.substring(2, signature.indexOf(',')));
    assertThat(signature).isEqualTo(WebhookSender.signature(SECRET, time, sent.text()));
  }

  /** It follows what is not sent: else it would not know that the agent was degraded before. */
  @Test
  void tellsARecoveryWhenTheLastTroubleIsOfAKindThatIsNotSent() throws Exception {
    try (Receiver other = Receiver.start(TestDatabases.create());
        TestServer ofSome =
            other.startServer("WEBHOOK_KINDS=degraded,recovered", "LIVENESS_SWEEP_INTERVAL_S=1")) {
      other.clear();
      Agent agent = Receiver.degrade(ofSome.client(), "quota");
      assertThat(other.tell(1).path("kind").asString()).isEqualTo("degraded");
      other
          .database()
          .execute(
              "UPDATE workspace_heartbeats SET last_heartbeat_at = now() - interval '10 minutes'");
      Awaitility.await()
          .until(() -> ofSome.client().events(agent.id(), "WORKSPACE_OFFLINE").size() == 1);
      other.awaitCollected(1);

      ofSome.client().heartbeat(agent, "\"error_rate\":0");

      Awaitility.await()
          .until(() ->
              other.database().value("SELECT count(well_at) FROM webhook_troubles").equals("1"));
      assertThat(other.tell(1).path("kind").asString()).isEqualTo("recovered");
      assertThat(other.bodies()).hasSize(2);
    }
  }

  private static TestClient client() {
    return server.client();
  }

  private static JsonNode ofKind(String kind, List<JsonNode> report) {
    return report.stream()
        .filter(one -> one.path("kind").asString().equals(kind))
        .findFirst()
        .orElseThrow();
  }
}
