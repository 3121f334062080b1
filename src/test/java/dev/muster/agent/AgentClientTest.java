package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.muster.protocol.RuntimeEvent;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The requests of the client (section 13), and its handling of refusals. */
@Slow
@Timeout(60)
class AgentClientTest {

  private static final String PEER = "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10";

  @TempDir private Path folder;

  @Test
  void keepsAMintedTokenInAPrivateFile() throws IOException {
    Path file = folder.resolve("deep").resolve("token");
    String id = UUID.randomUUID().toString();

    assertThat(registerAnonymously(id, file).register(Registration.polling("Walk-in")))
        .isEqualTo("online");

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(registerAnonymously(id, file).register(Registration.polling("Walk-in")))
        .isEqualTo("online");
    try (var files = Files.list(folder.resolve("deep"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void forwardsOutputOfASandbox() {
    Agent agent = AgentServer.CLIENT.create("Runner");

    AgentServer.client(agent)
        .sendRuntimeEvents(
            List.of(
                new RuntimeEvent.RuntimeStart("t", "run_py", "python"),
                new RuntimeEvent.RuntimeStdout("t", "hello\n"),
                new RuntimeEvent.RuntimeEnd("t", 0, 12)));

    JsonNode run =
        AgentServer.CLIENT
            .get("/workspaces/" + agent.id() + "/runtime-runs", agent.token())
            .json()
            .path(0);
    assertThat(run.path("status").asString()).isEqualTo("succeeded");
    assertThat(run.path("stdout").asString()).isEqualTo("hello\n");
  }

  @Test
  void prefersTheGivenTokenToThatOfTheFile() throws IOException {
    Agent agent = AgentServer.CLIENT.create("Given");
    Path file = Files.writeString(folder.resolve("token"), "stale");

    AgentClient client =
        AgentClient.builder(AgentServer.CLIENT.baseUrl(), agent.id().toString())
            .tokenFile(file)
            .token(agent.token())
            .build();

    assertThat(client.state().deleted()).isFalse();
    assertThat(file).hasContent("stale");
  }

  @Test
  void readsTheFileAgainWhenItsTokenIsRefused() throws IOException {
    Agent agent = AgentServer.CLIENT.create("Renewed");
    Path file = Files.writeString(folder.resolve("token"), "stale\n");
    AgentClient client = registerAnonymously(agent.id().toString(), file);
    assertThatExceptionOfType(MusterException.class)
        .isThrownBy(() -> client.heartbeat(Heartbeat.HEALTHY))
        .matches(MusterException::isRefusal)
        .satisfies(e -> assertThat(e.toString()).doesNotContain("stale"));

    Files.writeString(file, agent.token() + "\n");

    assertThat(client.heartbeat(Heartbeat.HEALTHY)).isEqualTo("online");
    assertThat(client.cadence().heartbeatInterval()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void sendsTheSameMessageInAllAttempts() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.then(
          PeerBehavior.resetAfterRequest(),
          PeerBehavior.answer(503, "{\"code\":\"UNAVAILABLE\"}"),
          PeerBehavior.answer(200, "{\"status\":\"queued\",\"activity_id\":\"a-1\"}"));

      SendResult sent = to(platform).send(PEER, "hi");

      assertThat(sent)
          .isInstanceOfSatisfying(
              SendResult.Queued.class, q -> assertThat(q.id()).isEqualTo("a-1"));
      assertThat(platform.deliveries()).hasSize(3);
      assertThat(bodies(platform)).allMatch(bodies(platform).getFirst()::equals);
      assertThat(bodies(platform).getFirst().at("/params/message/messageId").asString())
          .isEqualTo(sent.messageId());
    }
  }

  @Test
  void doesNotRetryAnAnsweredRequest() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.usually(
          PeerBehavior.answer(504, "{\"code\":\"AGENT_TIMEOUT\",\"error\":\"it said nothing\"}"));

      assertThatExceptionOfType(MusterException.class)
          .isThrownBy(() -> to(platform).send(PEER, "hi"))
          .withMessageContaining("504 AGENT_TIMEOUT: it said nothing")
          .matches(e -> e.code().equals("AGENT_TIMEOUT"));
      assertThat(platform.deliveries()).hasSize(1);
    }
  }

  /** What a peer's agent answers says nothing about this agent's token. */
  @ParameterizedTest
  @CsvSource({
    "401, AGENT_HTTP_ERROR, false",
    "403, AGENT_HTTP_ERROR, false",
    "502, AGENT_HTTP_ERROR, false",
    "401, UNAUTHENTICATED, true",
    "403, FORBIDDEN, true"
  })
  void distinguishesARefusedTokenFromAPeersRefusal(int status, String code, boolean refused)
      throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.usually(PeerBehavior.answer(status, "{\"code\":\"" + code + "\",\"error\":\"no\"}"));

      assertThatExceptionOfType(MusterException.class)
          .isThrownBy(() -> to(platform).send(PEER, "hi"))
          .matches(e -> e.isRefusal() == refused);
    }
  }

  @Test
  void readsAllFormsOfAnAnswer() throws IOException {
    String part = "[{\"kind\":\"text\",\"text\":\"done\"}]";
    for (String result :
        List.of(
            "{\"parts\":" + part + "}",
            "{\"status\":{\"message\":{\"parts\":" + part + "}}}",
            "{\"artifacts\":[{\"parts\":" + part + "}]}")) {
      try (TestPeer platform = TestPeer.start()) {
        platform.then(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"result\":" + result + "}"));
        assertThat(to(platform).send(PEER, "hi"))
            .isInstanceOfSatisfying(
                SendResult.Answered.class,
                answered -> assertThat(answered.text()).isEqualTo("done"));
      }
    }
    try (TestPeer platform = TestPeer.start()) {
      platform.then(
          PeerBehavior.answer(200, "{\"error\":{\"code\":-32603,\"message\":\"broke\"}}"));
      assertThat(to(platform).send(PEER, "hi"))
          .isInstanceOfSatisfying(
              SendResult.Refused.class, refused -> assertThat(refused.text()).isEqualTo("broke"));
    }
  }

  @Test
  void refusesToReplyWithoutARecipient() {
    AgentClient client = registerAnonymously(PEER, folder.resolve("token"));
    for (String row :
        List.of(
            "{\"id\":\"a\"}",
            "{\"id\":\"a\",\"source\":\"system\"}",
            "{\"id\":\"a\",\"source\":\"peer_agent\"}")) {
      InboundMessage message =
          InboundMessage.ofRow(JsonMapper.shared().readTree(row)).orElseThrow();
      assertThatIllegalArgumentException().isThrownBy(() -> client.reply(message, "hm"));
    }
  }

  @Test
  void findsItsPeers() {
    Agent lead = AgentServer.CLIENT.create("Lead");
    Agent writer = AgentServer.CLIENT.create("Writer", "\"parent_id\":\"" + lead.id() + "\"");

    assertThat(AgentServer.client(lead).peers())
        .singleElement()
        .satisfies(peer -> assertThat(peer.name()).isEqualTo("Writer"));
    assertThat(AgentServer.client(lead).discover(writer.id().toString()).deliveryMode())
        .isEqualTo("poll");
  }

  @Test
  void usesTheDelegationRoutesOfTheContract() throws IOException {
    String answer =
        "{\"delegation_id\":\"d-1\",\"status\":\"delegated\",\"target_id\":\"" + PEER + "\"}";
    try (TestPeer platform = TestPeer.start()) {
      platform.then(PeerBehavior.resetAfterRequest()).usually(PeerBehavior.answer(202, answer));
      AgentClient client = to(platform);

      assertThat(client.delegate(PEER, "write").id()).isEqualTo("d-1");
      client.recordDelegation(PEER, "write", "d-2");
      client.updateDelegation("d-1", new DelegationReport.Failed("stopped", "Cancelled"));
      client.heartbeatDelegation("d-1");
      client.delegate(PEER, "write", Optional.of("k"), Optional.of(Duration.ofMinutes(1)));
      client.delegation("d-1", Duration.ofSeconds(5));

      List<JsonNode> bodies = bodies(platform);
      assertThat(bodies.get(0)).isEqualTo(bodies.get(1));
      assertThat(bodies.get(0).path("idempotency_key").asString()).isNotEmpty();
      assertThat(bodies.get(2).toString())
          .isEqualTo(
              "{\"target_id\":\"" + PEER + "\",\"task\":\"write\",\"delegation_id\":\"d-2\"}");
      assertThat(bodies.get(3).toString())
          .isEqualTo("{\"status\":\"failed\",\"error\":\"stopped\",\"error_kind\":\"Cancelled\"}");
      assertThat(bodies.get(5).path("deadline_s").asInt()).isEqualTo(60);
      assertThat(platform.deliveries().stream().map(d -> d.requestLine().split(" ", 3)[1]).toList())
          .containsExactly(
              at("/delegate"),
              at("/delegate"),
              at("/delegations/record"),
              at("/delegations/d-1/update"),
              at("/delegations/d-1/heartbeat"),
              at("/delegate"),
              at("/delegations/d-1?wait=5"));
    }
  }

  private static String at(String rest) {
    return "/workspaces/" + new UUID(1, 2) + rest;
  }

  private static AgentClient registerAnonymously(String id, Path file) {
    return AgentClient.builder(AgentServer.CLIENT.baseUrl(), id).tokenFile(file).build();
  }

  private static AgentClient to(TestPeer platform) {
    return AgentServer.clientAt(platform.port(), new Agent(new UUID(1, 2), "a-token"));
  }

  private static List<JsonNode> bodies(TestPeer platform) {
    return platform.deliveries().stream()
        .map(delivery ->
            delivery.body().length == 0
                ? (JsonNode) JsonMapper.shared().createObjectNode()
                : JsonMapper.shared().readTree(delivery.body()))
        .toList();
  }
}
