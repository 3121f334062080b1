package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.event.EventLog;
import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.text.RawJson;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console gets recorded events in batches; a page of one workspace gets all of its events. */
@Timeout(60)
class ConsoleStreamTest {

  private final TestServer server = TestServer.shared();
  private final TestClient client = server.client();

  @Test
  void sendsEachRecordedEventOnceInBatchesWithoutCards() {
    long from = head();
    try (TestSocket socket =
        TestSocket.open(client, "/ws?view=console&after=" + from, ADMIN_TOKEN)) {
      Agent agent =
          client.create("Batched", "\"role\":\"review\"", "\"agent_card\":{\"name\":\"card\"}");
      client.heartbeat(agent);
      client.heartbeat(
          agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"" + "x".repeat(500) + "\"");
      client.patch(
          "/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"agent_card\":{\"a\":1},\"tier\":2}");
      client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

      socket.await(batch -> events(batch).anyMatch(e -> is(e, agent, "WORKSPACE_REMOVED")));
      List<JsonNode> events =
          socket.frames().stream()
              .flatMap(ConsoleStreamTest::events)
              .filter(e -> isOf(e, agent))
              .toList();
      assertThat(events.stream().map(e -> e.path("e").asString()))
          .containsExactly(
              "WORKSPACE_AWAITING_AGENT",
              "WORKSPACE_ONLINE",
              "WORKSPACE_DEGRADED",
              "WORKSPACE_UPDATED",
              "WORKSPACE_REMOVED");
      JsonNode created = events.getFirst();
      assertThat(created.propertyNames())
          .containsExactlyInAnyOrder(
              "s", "e", "w", "at", "status", "was", "since", "reason", "name", "role", "tier",
              "parent", "runtime", "mode");
      assertThat(created.path("was").isNull()).isTrue();
      JsonNode degraded = events.get(2);
      assertThat(degraded.path("reason").asString()).isEqualTo("runtime_wedged");
      assertThat(degraded.path("error").asString()).hasSize(160);
      assertThat(degraded.path("name").asString()).isEqualTo("Batched");
      assertThat(degraded.path("since").asString()).isNotEmpty();
      assertThat(events.get(3).path("tier").asInt()).isEqualTo(2);
      assertThat(events.get(3).propertyNames())
          .containsExactlyInAnyOrder("s", "e", "w", "at", "tier");
      requireOrder(socket.frames(), from);
    }
  }

  @Test
  void saysSinceWhenAWorkspaceIsStalled() {
    Agent agent = client.createOnline("Stalled");
    try (TestSocket socket =
        TestSocket.open(client, "/ws?view=console&after=" + head(), ADMIN_TOKEN)) {
      server.record(
          new NewEvent(
              EventType.WORKSPACE_STALLED,
              agent.id(),
              Map.of("status", "online", "stalled_since", Instant.EPOCH)));

      JsonNode batch =
          socket.await(b -> events(b).anyMatch(e -> is(e, agent, "WORKSPACE_STALLED")));
      JsonNode stalled =
          events(batch).filter(e -> is(e, agent, "WORKSPACE_STALLED")).findFirst().orElseThrow();
      assertThat(Instant.parse(stalled.path("stalled").asString())).isEqualTo(Instant.EPOCH);
    }
  }

  /** A batch says the number of its last event, and none is missing between two batches. */
  private static void requireOrder(List<JsonNode> batches, long from) {
    long seq = from;
    for (JsonNode batch : batches) {
      for (JsonNode event : (Iterable<JsonNode>) events(batch)::iterator) {
        assertThat(event.path("s").asLong()).isEqualTo(seq + 1);
        seq++;
      }
      assertThat(batch.path("events").size()).isLessThanOrEqualTo(500);
      assertThat(batch.path("seq").asLong()).isEqualTo(seq);
    }
  }

  @Test
  void goesOnAfterTheLastNumberInFewBatches() {
    long from = head();
    Agent agent = client.create("many");
    for (int x = 0; x < 400; x++) {
      client.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"tier\":" + x % 100 + "}");
    }
    try (TestSocket socket =
        TestSocket.open(client, "/ws?view=console&after=" + from, ADMIN_TOKEN)) {
      client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
      socket.await(batch -> events(batch).anyMatch(e -> is(e, agent, "WORKSPACE_REMOVED")));
      requireOrder(socket.frames(), from);
      assertThat(socket.frames()).hasSizeLessThan(20);
    }
  }

  @Test
  void saysWhereItGoesOnAfterAGap() {
    try (TestSocket socket =
        TestSocket.open(client, "/ws?view=console&after=900000000000", ADMIN_TOKEN)) {
      JsonNode batch =
          socket.await(b -> events(b).anyMatch(e -> e.path("e").asString().equals("REPLAY_GAP")));
      JsonNode gap = events(batch).findFirst().orElseThrow();
      assertThat(gap.path("reason").asString()).isEqualTo("future");
      assertThat(gap.path("s").isNull()).isTrue();
      assertThat(gap.path("requested_after").asLong()).isEqualTo(900000000000L);
      assertThat(batch.path("seq").asLong()).isEqualTo(gap.path("continues_after").asLong());
    }
  }

  @Test
  void carriesEventsOfDelegations() {
    Agent caller = client.create("caller");
    Agent callee = client.create("callee", "\"parent_id\":\"" + caller.id() + "\"");
    try (TestSocket socket = TestSocket.open(client, "/ws?view=console", ADMIN_TOKEN)) {
      client.post(
          "/workspaces/" + caller.id() + "/delegate",
          caller.token(),
          "{\"target_id\":\"" + callee.id() + "\",\"task\":\"t\"}");
      JsonNode batch = socket.await(b -> events(b).anyMatch(e -> is(e, caller, "DELEGATION_SENT")));
      JsonNode sent =
          events(batch).filter(e -> is(e, caller, "DELEGATION_SENT")).findFirst().orElseThrow();
      assertThat(sent.path("target").asString()).isEqualTo(callee.id().toString());
      assertThat(sent.has("delegation")).isTrue();
    }
  }

  /** A card may be deeper than parsers allow by themselves; it is stepped over. */
  @Test
  void leavesOutCardsHoweverDeep() {
    String card = "[".repeat(5000) + "]".repeat(5000);
    RecordedEvent event =
        new RecordedEvent(
            UUID.randomUUID(),
            7,
            "WORKSPACE_ONLINE",
            null,
            new RawJson("{\"agent_card\":" + card + ",\"name\":\"after it\"}"),
            Instant.EPOCH);

    assertThat(batches(event))
        .containsExactly(
            "{\"seq\":7,\"at\":\"1970-01-01T00:00:09Z\",\"events\":[{\"s\":7,\"e\":\"WORKSPACE_ONLINE\",\"w\":null,\"at\":\"1970-01-01T00:00:00Z\",\"name\":\"after"
                + " it\"}]}");
  }

  /** Consoles that have been open for long count by it who fell silent together. */
  @Test
  void saysWhenAnAgentThatGoesOfflineSentItsLastHeartbeat() {
    RecordedEvent event =
        new RecordedEvent(
            UUID.randomUUID(),
            7,
            "WORKSPACE_OFFLINE",
            null,
            new RawJson("{\"last_heartbeat_at\":\"1970-01-01T00:00:05Z\",\"silent_for_s\":181}"),
            Instant.EPOCH);

    assertThat(batches(event))
        .containsExactly(
            "{\"seq\":7,\"at\":\"1970-01-01T00:00:09Z\",\"events\":[{\"s\":7,\"e\":\"WORKSPACE_OFFLINE\",\"w\":null,"
                + "\"at\":\"1970-01-01T00:00:00Z\",\"heard\":\"1970-01-01T00:00:05Z\"}]}");
  }

  private List<String> batches(RecordedEvent event) {
    return new ConsoleEncoder(server.bean(JsonMapper.class), () -> Instant.ofEpochSecond(9))
        .batches(List.of(Frame.of(event)));
  }

  /** A page that hears nothing for longer knows that the server hangs (R17.1). */
  @Test
  void tellsConsolesWhileNothingHappens() {
    Agent stranger = client.create("stranger");
    Instant before = Instant.now();
    try (TestSocket socket = TestSocket.open(client, "/ws?view=console", stranger.token())) {
      JsonNode first = socket.await(ConsoleStreamTest::isTick);
      assertThat(first.propertyNames()).containsExactlyInAnyOrder("seq", "at", "events");
      assertThat(Instant.parse(first.path("at").asString())).isBetween(before, Instant.now());

      client.create("not to be seen");
      long seq = first.path("seq").asLong();
      JsonNode next = socket.await(batch -> isTick(batch) && batch.path("seq").asLong() > seq);
      assertThat(Instant.parse(next.path("at").asString()))
          .isAfter(Instant.parse(first.path("at").asString()));

      // an event makes the stream look, and so does a ping every 20 s; ticks need neither
      Awaitility.await().until(() -> secondsBetweenTicks(socket, seq).findFirst().isPresent());
      assertThat(secondsBetweenTicks(socket, seq).findFirst())
          .hasValueSatisfying(s -> assertThat(s).isLessThan(12));
    }
  }

  /** The seconds from each tick to the next one, where no event came between. */
  private static Stream<Long> secondsBetweenTicks(TestSocket socket, long afterSeq) {
    List<JsonNode> ticks =
        socket.frames().stream()
            .filter(one -> isTick(one) && one.path("seq").asLong() > afterSeq)
            .toList();
    return IntStream.range(1, ticks.size())
        .filter(i -> ticks.get(i).path("seq").equals(ticks.get(i - 1).path("seq")))
        .mapToObj(i -> Duration.between(at(ticks.get(i - 1)), at(ticks.get(i))).toSeconds());
  }

  private static Instant at(JsonNode tick) {
    return Instant.parse(tick.path("at").asString());
  }

  private static boolean isTick(JsonNode batch) {
    return batch.path("events").isEmpty();
  }

  @Test
  void showsAnAgentItsPeersAsAnyStreamDoes() {
    Agent lead = client.create("lead");
    Agent self = client.create("self", "\"parent_id\":\"" + lead.id() + "\"");
    Agent stranger = client.create("stranger");
    try (TestSocket socket = TestSocket.open(client, "/ws?view=console", self.token())) {
      client.heartbeat(stranger);
      client.heartbeat(lead, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"secret\"");
      JsonNode batch =
          socket.await(b -> events(b).anyMatch(e -> is(e, lead, "WORKSPACE_DEGRADED")));
      JsonNode event =
          events(batch).filter(e -> is(e, lead, "WORKSPACE_DEGRADED")).findFirst().orElseThrow();
      assertThat(event.has("error") || event.has("reason")).isFalse();
      assertThat(socket.frames().stream().flatMap(ConsoleStreamTest::events))
          .noneMatch(e -> isOf(e, stranger));
    }
  }

  @Test
  void showsAllEventsOfOneWorkspaceToItsReaders() {
    Agent one = client.create("one");
    Agent other = client.create("other");
    try (TestSocket socket = TestSocket.open(client, "/ws?workspace_id=" + one.id(), ADMIN_TOKEN)) {
      client.heartbeat(other, "\"current_task\":\"theirs\"");
      client.heartbeat(one, "\"current_task\":\"mine\"");
      client.post("/workspaces/" + one.id() + "/notify", one.token(), "{\"message\":\"hello\"}");
      socket.await("WORKSPACE_ONLINE");
      socket.await("TASK_UPDATED");
      socket.await("AGENT_MESSAGE");
      assertThat(socket.frames())
          .allMatch(f -> f.path("workspace_id").asString("").equals(one.id().toString()));
    }
    requireRefused("/ws?workspace_id=" + one.id(), other.token(), 403);
    requireRefused("/ws?workspace_id=x", ADMIN_TOKEN, 400);
    requireRefused("/ws?workspace_id=00000000-0000-4000-8000-000000000001", ADMIN_TOKEN, 404);
    requireRefused("/ws?view=map", ADMIN_TOKEN, 400);
    TestSocket.open(client, "/ws?view=console&workspace_id=" + one.id(), one.token()).close();
  }

  private void requireRefused(String path, String token, int status) {
    assertThatThrownBy(() -> TestSocket.open(client, path, token))
        .isInstanceOfSatisfying(
            TestSocket.Refused.class, refused -> assertThat(refused.status()).isEqualTo(status));
  }

  private long head() {
    return server.bean(EventLog.class).head();
  }

  private static Stream<JsonNode> events(JsonNode batch) {
    return batch.path("events").valueStream();
  }

  private static boolean isOf(JsonNode event, Agent agent) {
    return event.path("w").asString("").equals(agent.id().toString());
  }

  private static boolean is(JsonNode event, Agent agent, String type) {
    return isOf(event, agent) && event.path("e").asString().equals(type);
  }
}
