package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestEventStream.Event;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The two routes of server-sent events (R10.4, R1.6). */
@Slow
@Timeout(60)
class ServerSentEventsTest {

  private static final String OF_ALL = "/events/stream";

  private final TestClient client = TestServer.shared().client();

  @Test
  void sendsRecordedEventsToTheAdminWithTheirNumbersAsIds() throws Exception {
    try (TestEventStream stream = TestEventStream.open(client, OF_ALL, ADMIN_TOKEN)) {
      assertThat(stream.status()).isEqualTo(200);
      assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
      assertThat(stream.header("Cache-Control")).contains("no-store");
      Agent agent = client.create("told");
      Event event =
          stream.await(e -> isOf(e, agent) && e.type().equals("WORKSPACE_AWAITING_AGENT"));
      JsonNode recorded = client.events(agent.id(), "WORKSPACE_AWAITING_AGENT").get(0);
      assertThat(event.id()).isEqualTo(recorded.path("seq").asLong());
      assertThat(event.data().propertyNames()).startsWith("type", "timestamp", "data");
      assertThat(event.data().path("data")).isEqualTo(recorded.path("payload"));
      assertThat(event.data().path("timestamp").asLong())
          .isEqualTo(Instant.parse(recorded.path("created_at").asString()).toEpochMilli());
    }
  }

  @Test
  void showsAWorkspaceOnlyItsOwnEvents() throws Exception {
    Agent lead = client.create("lead");
    Agent child = client.create("child", "\"parent_id\":\"" + lead.id() + "\"");
    try (TestEventStream stream =
        TestEventStream.open(client, "/workspaces/" + child.id() + OF_ALL, child.token())) {
      client.heartbeat(lead);
      client.heartbeat(child, "\"current_task\":\"x\"");
      stream.await("WORKSPACE_ONLINE");
      Event task = stream.await("TASK_UPDATED");
      assertThat(task.id()).isNull();
      assertThat(stream.events()).allMatch(e -> isOf(e, child));
    }
  }

  @Test
  void continuesAfterTheLastEventIdWithoutGapOrRepeat() throws Exception {
    Agent agent = client.create("replayed");
    String path = "/workspaces/" + agent.id() + OF_ALL;
    List<Long> first;
    try (TestEventStream stream = TestEventStream.open(client, path, agent.token())) {
      client.heartbeat(agent);
      stream.await("WORKSPACE_ONLINE");
      first = stream.ids();
    }
    Race.run(6, runner -> move(agent, 1000 * runner + 1000, 50));
    List<Long> all =
        client
            .get("/events/" + agent.id() + "?after=" + first.getLast() + "&limit=1000", ADMIN_TOKEN)
            .json()
            .valueStream()
            .map(event -> event.path("seq").asLong())
            .toList();
    assertThat(all).hasSize(300);
    try (TestEventStream stream =
        TestEventStream.open(
            client,
            path + "?after=0",
            agent.token(),
            "Last-Event-ID",
            String.valueOf(first.getLast()))) {
      Awaitility.await().untilAsserted(() -> assertThat(stream.ids()).isEqualTo(all));
    }
    try (TestEventStream stream = TestEventStream.open(client, path + "?after=0", agent.token())) {
      Awaitility.await()
          .untilAsserted(() -> assertThat(stream.ids()).hasSize(302).endsWith(all.getLast()));
    }
  }

  @Test
  void keepsAnEventOnOneLineWithAnyCard() throws Exception {
    Agent agent = client.create("card");
    try (TestEventStream stream =
        TestEventStream.open(client, "/workspaces/" + agent.id() + OF_ALL, agent.token())) {
      client.post(
          "/registry/update-card",
          agent.token(),
          "{\"workspace_id\":\"" + agent.id() + "\",\"agent_card\":{\n\"name\":\r\n\"card\\n\"}}");
      JsonNode card = stream.await("AGENT_CARD_UPDATED").data().path("data").path("agent_card");
      assertThat(card.path("name").asString()).isEqualTo("card\n");
    }
  }

  @Test
  void reportsDeletedEventsAndContinuesWithTheOldest() throws Exception {
    try (TestServer server = TestServer.start()) {
      TestClient own = server.client();
      Agent agent = own.create("old");
      for (int i = 1; i <= 9; i++) {
        own.patch("/workspaces/" + agent.id(), agent.token(), "{\"x\":" + i + "}");
      }
      assertThat(own.events(agent.id(), "WORKSPACE_UPDATED")).hasSize(9);
      server.database().execute("DELETE FROM events WHERE seq <= 6");
      try (TestServer fresh = TestServer.startOn(server.database());
          TestEventStream stream =
              TestEventStream.open(fresh.client(), OF_ALL, ADMIN_TOKEN, "Last-Event-ID", "2")) {
        Awaitility.await()
            .untilAsserted(() -> assertThat(stream.ids()).containsExactly(7L, 8L, 9L, 10L));
        JsonNode gap = stream.events().getFirst().data();
        assertThat(gap.path("type").asString()).isEqualTo("REPLAY_GAP");
        assertThat(gap.path("data").toString())
            .isEqualTo("{\"reason\":\"expired\",\"requested_after\":2,\"continues_after\":6}");
      }
      server.database().execute("DELETE FROM events");
      try (TestServer fresh = TestServer.startOn(server.database());
          TestEventStream stream =
              TestEventStream.open(fresh.client(), OF_ALL + "?after=3", ADMIN_TOKEN)) {
        assertThat(stream.await("REPLAY_GAP").data().path("data").path("continues_after").asLong())
            .isEqualTo(10);
        fresh.client().create("next");
        assertThat(stream.await("WORKSPACE_AWAITING_AGENT").id()).isEqualTo(11);
      }
    }
  }

  @Test
  void continuesWithUnusedNumbersWhenAFailoverLostSome() throws Exception {
    try (TestServer server = TestServer.start();
        TestEventStream stream = TestEventStream.open(server.client(), OF_ALL, ADMIN_TOKEN)) {
      for (int i = 1; i <= 5; i++) {
        server.client().create("lost" + i);
      }
      stream.await(e -> Long.valueOf(5).equals(e.id()));
      server
          .database()
          .execute("DELETE FROM events WHERE seq > 2; UPDATE event_head SET last_seq = 2");
      server.client().create("kept");
      Event next =
          stream.await(e ->
              e.id() != null && e.data().path("data").path("name").asString("").equals("kept"));
      assertThat(next.id()).isEqualTo(6);
    }
  }

  @Test
  void boundsTheStreamsOfOneAgent() throws Exception {
    Agent agent = client.create("greedy");
    String path = "/workspaces/" + agent.id() + OF_ALL;
    List<TestEventStream> open = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        open.add(TestEventStream.open(client, path, agent.token()));
      }
      assertThat(open).allMatch(stream -> stream.status() == 200);
      TestClient.Answer refused = client.get(path, agent.token());
      Refusals.assertRefused(refused, 429, "RATE_LIMITED");
      assertThat(refused.header("Retry-After")).isNotEmpty();
      open.add(TestEventStream.open(client, path, ADMIN_TOKEN));
      assertThat(open.getLast().status()).isEqualTo(200);
    } finally {
      for (TestEventStream stream : open) {
        stream.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"garbage", "-5", "12abc", "1e3", "99999999999999999999", "0x10"})
  void refusesALastEventIdThatIsNotANumber(String id) throws Exception {
    Refusals.assertRefused(
        client.get(OF_ALL, ADMIN_TOKEN, "Last-Event-ID", id), 400, "VALIDATION_FAILED");
  }

  @Test
  void reportsALastEventIdThatNeverExisted() throws Exception {
    try (TestEventStream stream =
        TestEventStream.open(client, OF_ALL, ADMIN_TOKEN, "Last-Event-ID", "800000000000")) {
      assertThat(stream.await("REPLAY_GAP").data().path("data").path("reason").asString())
          .isEqualTo("future");
      Agent agent = client.create("next");
      stream.await(e -> isOf(e, agent));
    }
  }

  @Test
  void refusesCallersWithoutPermission() {
    Agent agent = client.create("one");
    Agent other = client.create("other");
    String path = "/workspaces/" + agent.id() + OF_ALL;
    Refusals.assertRefused(client.get(OF_ALL, null), 401, "UNAUTHENTICATED");
    Refusals.assertRefused(client.get(path, "wrong"), 401, "UNAUTHENTICATED");
    Refusals.assertRefused(client.get(OF_ALL, agent.token()), 403, "FORBIDDEN");
    Refusals.assertRefused(client.get(path, other.token()), 403, "FORBIDDEN");
    Refusals.assertRefused(
        client.get("/workspaces/" + UUID.randomUUID() + OF_ALL, agent.token()),
        404,
        "WORKSPACE_NOT_FOUND");
    Refusals.assertRefused(client.get("/workspaces/x" + OF_ALL, agent.token()), 400, "INVALID_ID");
    client.heartbeat(agent);
    client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    Refusals.assertRefused(client.get(path, ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
    Refusals.assertRefused(client.get(path, agent.token()), 401, "UNAUTHENTICATED");
  }

  @Test
  void answersAHeadRequestWithoutOpeningAStream() {
    TestClient.Answer answer = client.send("HEAD", OF_ALL, ADMIN_TOKEN, null);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).startsWith("text/event-stream");
  }

  @Test
  void endsWhenItsTokenIsRevoked() throws Exception {
    Agent agent = client.create("revoked");
    try (TestEventStream stream =
        TestEventStream.open(client, "/workspaces/" + agent.id() + OF_ALL, agent.token())) {
      client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
      assertThat(stream.awaitEnd(Duration.ofSeconds(15))).isTrue();
    }
  }

  private boolean move(Agent agent, int from, int times) {
    for (int x = from; x < from + times; x++) {
      String path = "/workspaces/" + agent.id();
      assertThat(client.patch(path, agent.token(), "{\"x\":" + x + "}").status()).isEqualTo(200);
    }
    return true;
  }

  private static boolean isOf(Event event, Agent agent) {
    return event.data().path("workspace_id").asString("").equals(agent.id().toString());
  }
}
