package dev.muster.console.fleet;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The figures of the fleet, its worst workspaces, and single rows. */
@Timeout(60)
@Slow
class FleetSummaryTest {

  /** Less than the second for which a summary is cached. */
  private static final long KEPT_MS = 900;

  private final TestServer server = TestServer.startWithoutSweeps();
  private final TestClient client = server.client();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void countsTheFleetAndNamesTheWorstFirst() {
    Agent well = client.createOnline("well", "\"runtime\":\"claude\"");
    Agent push = client.create("push", "\"delivery_mode\":\"push\"", "\"runtime\":\"claude\"");
    Agent wedged = client.createOnline("wedged");
    client.heartbeat(
        wedged, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"" + "e".repeat(200) + "\"");
    Agent failing = client.createOnline("failing", under(well));
    client.heartbeat(failing, "\"error_rate\":0.9", "\"sample_error\":\"429\"");
    Agent paused = client.createOnline("paused");
    client.post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");
    client.delete("/workspaces/" + client.create("gone").id(), ADMIN_TOKEN);
    send(push, "m-1");
    send(push, "m-2");
    delegate(well, failing);

    // this request publishes all recorded events first, which the summary does not
    long head = client.get("/events?limit=1", ADMIN_TOKEN).json().path(0).path("seq").asLong();
    JsonNode summary = summary("", ADMIN_TOKEN);

    assertThat(summary.path("total").asInt()).isEqualTo(5);
    assertThat(summary.path("status").toString())
        .isEqualTo("{\"degraded\":2,\"awaiting_agent\":1,\"online\":1,\"paused\":1}");
    assertThat(summary.path("reason").toString())
        .isEqualTo("{\"error_rate\":1,\"runtime_wedged\":1}");
    assertThat(summary.path("runtime").toString()).isEqualTo("{\"external\":3,\"claude\":2}");
    assertThat(summary.path("stalled").asInt()).isZero();
    assertThat(summary.path("queue").path("waiting").asInt()).isEqualTo(2);
    assertThat(summary.path("delegations").toString()).isEqualTo("{\"dispatched\":1}");
    assertThat(names(summary)).containsExactly("wedged", "failing", "push", "paused", "well");
    JsonNode first = summary.path("worst").path(0);
    assertThat(first.path("degraded_reason").asString()).isEqualTo("runtime_wedged");
    assertThat(first.path("last_sample_error").asString()).hasSize(160);
    assertThat(summary.path("worst").path(2).path("queued").asBoolean()).isTrue();
    assertThat(summary.path("banners")).isEmpty();
    assertThat(summary.path("seq").asLong()).isEqualTo(head);
    assertThat(names(summary("status:degraded -wedged", ADMIN_TOKEN))).containsExactly("failing");
  }

  @Test
  void isKeptForASecond() {
    client.create("one");
    JsonNode first;
    JsonNode again;
    int created = 0;
    long start;
    do { // again if the machine paused
      String query = "-none" + created; // has no summary yet
      start = System.nanoTime();
      first = summary(query, ADMIN_TOKEN);
      client.create("two");
      created++;
      again = summary(query, ADMIN_TOKEN);
    } while (System.nanoTime() - start > KEPT_MS * 1_000_000);

    assertThat(again).isEqualTo(first);
    assertThat(summary("two", ADMIN_TOKEN).path("total").asInt()).isEqualTo(created);
  }

  @Test
  void showsAnAgentItselfAndItsPeersWithoutWhatTheyDoNotTellIt() {
    Agent lead = client.create("lead");
    Agent self = client.createOnline("self", under(lead));
    Agent peer = client.createOnline("peer", under(lead));
    Agent stranger = client.create("stranger", under(peer));
    send(client.create("waiting", under(lead), "\"delivery_mode\":\"push\""), "m-1");
    delegate(peer, stranger);
    delegate(self, peer);
    client.heartbeat(
        peer, "\"error_rate\":0.9", "\"sample_error\":\"secret\"", "\"current_task\":\"secret\"");

    JsonNode summary = summary("", self.token());

    assertThat(names(summary)).containsExactly("peer", "waiting", "lead", "self");
    assertThat(summary.path("reason")).isEmpty();
    assertThat(summary.path("worst").findValuesAsString("queued")).containsOnly("false");
    assertThat(summary("is:queued", ADMIN_TOKEN).path("total").asInt()).isEqualTo(1);
    assertThat(summary.path("delegations").toString()).isEqualTo("{\"dispatched\":1}");
    assertThat(summary.path("worst").toString()).doesNotContain("secret");
    for (String probe : List.of("error:secret", "task:secret", "reason:error_rate", "is:queued")) {
      assertThat(summary(probe, self.token()).path("total").asInt()).as(probe).isZero();
    }
  }

  @Test
  void tellsOfItsOwnAbsenceAndOfMassSilence() {
    client.create("there before");
    server
        .database()
        .execute(
            """
            UPDATE control_plane_uptime SET down_since = '2026-01-02T03:04:05Z', up_since = now(), hold_since = now();
            UPDATE workspaces SET created_at = now() - interval '1 day'
            """);

    JsonNode banners = summary("", ADMIN_TOKEN).path("banners");

    assertThat(banners.valueStream().map(b -> b.path("kind").asString()))
        .containsExactly("own_absence", "mass_silence");
    assertThat(banners.path(0).path("down_since").asString()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(banners.path(1).path("down_since").isNull()).isTrue();
    for (JsonNode banner : banners) {
      assertThat(banner.path("until").asString()).isGreaterThan(banner.path("since").asString());
    }
  }

  @Test
  void readsRowsInTheOrderOfTheirIdsWithTheWorkInHand() {
    Agent push = client.create("push", "\"delivery_mode\":\"push\"");
    Agent paused = client.createOnline("paused", under(push));
    client.post(
        "/workspaces/" + paused.id() + "/notify", paused.token(), "{\"message\":\"hello\"}");
    String operator =
        client
            .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"night shift\",\"role\":\"operator\"}")
            .field("auth_token");
    client.post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");
    client.post("/workspaces/" + paused.id() + "/resume", ADMIN_TOKEN, "");
    client.post("/workspaces/" + paused.id() + "/pause", operator, "");
    send(push, "m-1");
    delegate(paused, push);
    client.post("/workspaces/" + push.id() + "/restart", ADMIN_TOKEN, "{}");
    server
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET stalled = true, stalled_since = now() WHERE"
                + " workspace_id = '"
                + push.id()
                + "'");

    JsonNode rows =
        rows(paused.id() + "," + UUID.randomUUID() + "," + push.id(), ADMIN_TOKEN).json();

    assertThat(rows.valueStream().map(row -> row.path("name").asString()))
        .containsExactly("paused", "push");
    assertThat(rows.path(0).path("paused_by").asString()).isEqualTo("night shift");
    assertThat(rows.path(0).path("in_flight_out").asInt()).isEqualTo(1);
    assertThat(rows.path(1).path("in_flight_in").asInt()).isEqualTo(1);
    assertThat(rows.path(1).path("queue_depth").asInt()).isGreaterThanOrEqualTo(1);
    assertThat(rows.path(1).path("restart_requested_at").isString()).isTrue();
    assertThat(rows.path(1).path("paused_by").isNull()).isTrue();
    assertThat(rows.path(0).path("last_wrote_at").isString()).isTrue();
    assertThat(rows.path(1).path("last_wrote_at").isNull()).isTrue();
    JsonNode listed = client.read(push);
    assertThat(listed.path("stalled_since").isString()).isTrue();
    for (String same :
        List.of(
            "id",
            "name",
            "tier",
            "runtime",
            "status",
            "status_since",
            "stalled",
            "stalled_since",
            "created_at",
            "updated_at")) {
      assertThat(rows.path(1).path(same)).as(same).isEqualTo(listed.path(same));
    }
  }

  /** As in the events and in the snapshot. */
  @Test
  void hidesTheLastHeartbeatOfPeersFromAnAgent() {
    Agent lead = client.createOnline("lead");
    Agent self = client.createOnline("self", under(lead));

    JsonNode own = rows(lead.id() + "," + self.id(), self.token()).json();
    JsonNode all = rows(lead.id() + "," + self.id(), ADMIN_TOKEN).json();

    assertThat(own.path(0).path("last_heartbeat_at").isNull()).isTrue();
    assertThat(own.path(1).path("last_heartbeat_at"))
        .isEqualTo(all.path(1).path("last_heartbeat_at"));
    assertThat(all.path(0).path("last_heartbeat_at").isNull()).isFalse();
  }

  @Test
  void readsNoMoreThan200RowsAndOnlyThoseOfPeersForAnAgent() {
    Agent lead = client.create("lead");
    Agent self = client.create("self", under(lead));
    Agent stranger = client.create("stranger", "\"parent_id\":\"" + client.create("x").id() + "\"");
    String many =
        IntStream.range(0, 201)
            .mapToObj(i -> UUID.randomUUID().toString())
            .collect(Collectors.joining(","));

    JsonNode rows = rows(lead.id() + "," + stranger.id() + "," + self.id(), self.token()).json();

    assertThat(rows.valueStream().map(row -> row.path("name").asString()))
        .containsExactly("lead", "self");
    assertThat(rows.path(0).path("queue_depth").isNull()).isTrue();
    assertThat(rows.path(1).path("queue_depth").asInt(-1)).isZero();
    Refusals.assertRefused(rows(many, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    Refusals.assertRefused(rows("1", ADMIN_TOKEN), 400, "INVALID_ID");
    assertThat(rows("", ADMIN_TOKEN).json()).isEmpty();
  }

  private JsonNode summary(String query, String token) {
    Answer answer = client.get("/console/summary?q=" + query.replace(" ", "%20"), token);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private Answer rows(String ids, String token) {
    return client.get("/console/rows?ids=" + ids, token);
  }

  private static List<String> names(JsonNode summary) {
    return summary.path("worst").valueStream().map(row -> row.path("name").asString()).toList();
  }

  private void send(Agent to, String id) {
    String message =
        """
        {"method":"message/send","params":{"message":{"messageId":"%s","parts":[{"kind":"text","text":"hi"}]}}}\
        """
            .formatted(id);
    assertThat(client.post("/workspaces/" + to.id() + "/a2a", ADMIN_TOKEN, message).status())
        .isEqualTo(202);
  }

  private void delegate(Agent from, Agent to) {
    String record =
        "{\"target_id\":\"%s\",\"task\":\"Do it.\",\"delegation_id\":\"%s\"}"
            .formatted(to.id(), UUID.randomUUID());
    Answer answer =
        client.post("/workspaces/" + from.id() + "/delegations/record", from.token(), record);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
  }

  private static String under(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }
}
