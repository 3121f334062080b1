package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.agent.CursorFile.RecentMessageIds;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How a poll agent receives messages (section 13, seed 004, R13.1). */
@Slow
@Timeout(60)
class PollDeliveryTest {

  private final Agent agent = AgentServer.CLIENT.create("Polling");
  private final AgentClient client = AgentServer.client(agent);
  private final List<String> handled = new ArrayList<>();

  @TempDir private Path folder;

  @Test
  void answersTheHumanOnTheCanvas() {
    AgentServer.sendFromCanvas(agent, "m-1", "hi");

    int count = memory().runOnce(MessageHandler.text((message, _) -> message.text() + " yourself"));

    assertThat(count).isEqualTo(1);
    assertThat(AgentServer.notifications(agent)).containsExactly("hi yourself");
    assertThat(memory().runOnce(this::note)).isZero();
  }

  @Test
  void answersAPeerThatWaits() throws Exception {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    CompletableFuture<SendResult> waiting =
        CompletableFuture.supplyAsync(
            () ->
                AgentServer.client(child)
                    .send(agent.id().toString(), "how far?", Duration.ofSeconds(30)),
            Thread::startVirtualThread);
    PollDelivery delivery = held(folder.resolve("cursor"));

    int count =
        delivery.runOnce(
            MessageHandler.later((_, _) ->
                CompletableFuture.supplyAsync(() -> "half way", Thread::startVirtualThread)));

    assertThat(count).isEqualTo(1);
    assertThat(waiting.get(20, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            SendResult.Answered.class, sent -> assertThat(sent.text()).isEqualTo("half way"));
  }

  @Test
  void doesNotSendAnAnswerToAnAnswer() {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    AgentClient childs = AgentServer.client(child);
    childs.send(agent.id().toString(), "ping");
    memory().runOnce(MessageHandler.text((_, _) -> "pong"));

    PollDelivery ofChild = PollDelivery.builder(childs).build();
    assertThat(ofChild.runOnce(MessageHandler.text((_, _) -> "pong again"))).isEqualTo(1);

    assertThat(memory().runOnce(this::note)).isZero();
  }

  @Test
  void skipsAMessageWhoseHandlerThrows() {
    AgentServer.sendFromCanvas(agent, "m-1", "poison");
    String last = AgentServer.sendFromCanvas(agent, "m-2", "fine");
    PollDelivery delivery = memory();

    int count =
        delivery.runOnce((message, platform) -> {
          if (message.text().equals("poison")) {
            throw new AssertionError("planted");
          }
          return note(message, platform);
        });

    assertThat(count).isEqualTo(2);
    assertThat(handled).containsExactly("fine");
    assertThat(delivery.cursor()).isEqualTo(last);
    assertThat(delivery.runOnce(this::note)).isZero();
  }

  @Test
  void continuesFromItsFileAfterARestart() throws IOException {
    Path file = folder.resolve("deep").resolve("cursor");
    AgentServer.sendFromCanvas(agent, "m-1", "one");
    PollDelivery first = kept(file);
    first.runOnce(this::note);
    first.stop();
    AgentServer.sendFromCanvas(agent, "m-2", "two");

    PollDelivery second = kept(file);
    assertThat(second.cursor()).isEqualTo(first.cursor());
    second.runOnce(this::note);

    assertThat(handled).containsExactly("one", "two");
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
  }

  @Test
  void continuesFromItsAcknowledgementWithoutAFile() {
    AgentServer.sendFromCanvas(agent, "m-1", "one");
    memory().runOnce(this::note);
    AgentServer.sendFromCanvas(agent, "m-2", "two");

    memory().runOnce(this::note);

    assertThat(handled).containsExactly("one", "two");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
        "garbage",
        "{\"cursor\":\"x y\"}",
        "{\"cu",
        ""
      })
  void continuesAfterALostOrDamagedCursor(String content) throws IOException {
    Path file = folder.resolve("cursor");
    Files.writeString(file, content);
    AgentServer.sendFromCanvas(agent, "m-1", "one");
    PollDelivery delivery = kept(file);

    while (handled.isEmpty()) {
      delivery.runOnce(this::note);
    }

    assertThat(handled).containsExactly("one");
    assertThat(delivery.cursor()).isNotNull();
  }

  @Test
  void recognisesHandledMessagesAfterALostCursor() throws IOException {
    Path file = folder.resolve("cursor");
    AgentServer.sendFromCanvas(agent, "m-1", "one");
    kept(file).runOnce(this::note);
    JsonNode saved = JsonMapper.shared().readTree(Files.readString(file));
    Files.writeString(
        file,
        saved.toString().replace(saved.path("cursor").asString(), UUID.randomUUID().toString()));
    forgetAcknowledgements();
    AgentServer.sendFromCanvas(agent, "m-2", "two");

    PollDelivery restarted = kept(file);
    assertThat(restarted.runOnce(this::note)).isZero();
    assertThat(restarted.interval()).isZero();
    assertThat(restarted.runOnce(this::note)).isEqualTo(1);

    assertThat(handled).containsExactly("one", "two");
  }

  /** As if it had been killed between its reply and the next write of its cursor. */
  @Test
  void repliesOnceToAMessageHandledTwice() {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    AgentServer.client(child).send(agent.id().toString(), "how far?");
    memory().runOnce(MessageHandler.text((_, _) -> "half way"));
    forgetAcknowledgements();

    PollDelivery restarted = memory();
    assertThat(restarted.runOnce(MessageHandler.text((_, _) -> "nearly there"))).isEqualTo(1);

    PollDelivery ofChild = PollDelivery.builder(AgentServer.client(child)).build();
    assertThat(ofChild.runOnce(this::note)).isEqualTo(1);
    assertThat(handled).containsExactly("half way");
  }

  private void forgetAcknowledgements() {
    AgentServer.SERVER
        .database()
        .execute(
            "UPDATE activity_feeds SET last_acked_seq = 0 WHERE workspace_id = '"
                + agent.id()
                + "'");
  }

  @Test
  void remembersTheLastThousandMessages() {
    RecentMessageIds seen = new RecentMessageIds(List.of());
    for (int i = 0; i <= RecentMessageIds.MAX_IDS; i++) {
      seen.add("m-" + i);
    }

    assertThat(seen.contains("m-0")).isFalse();
    assertThat(seen.contains("m-1")).isTrue();
    assertThat(new RecentMessageIds(seen.oldestFirst()).oldestFirst())
        .isEqualTo(seen.oldestFirst());
  }

  @Test
  void skipsRowsThatAreNotMessages() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.then(
          PeerBehavior.answer(
              200,
              "[7,{},{\"id\":null},{\"id\":\"a-1\",\"data\":7},{\"id\":\"a-2\",\"data\":{\"text\":\"fine\"}},{}]"));
      PollDelivery delivery =
          PollDelivery.builder(AgentServer.clientAt(platform.port(), agent)).build();

      assertThat(delivery.runOnce(this::note)).isEqualTo(2);

      assertThat(handled).containsExactly("", "fine");
      assertThat(delivery.cursor()).isEqualTo("a-2");
    }
  }

  @Test
  void triesAReplyThreeTimesUnderOneIdAndContinues() throws IOException {
    String row =
        "[{\"id\":\"a-1\",\"source\":\"peer_agent\",\"source_id\":\"6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10\","
            + "\"data\":{\"text\":\"hi\",\"message_id\":\"d-1\",\"delegation_id\":\"d-1\"}}]";
    try (TestPeer platform = TestPeer.start()) {
      platform.then(PeerBehavior.answer(200, row)).usually(PeerBehavior.resetAfterRequest());
      PollDelivery delivery =
          PollDelivery.builder(AgentServer.clientAt(platform.port(), agent)).build();

      assertThat(delivery.runOnce(MessageHandler.text((_, _) -> "well"))).isEqualTo(1);

      assertThat(delivery.cursor()).isEqualTo("a-1");
      List<JsonNode> tries =
          platform.deliveries().stream()
              .skip(1)
              .map(delivered -> JsonMapper.shared().readTree(delivered.body()))
              .toList();
      assertThat(tries).hasSize(3).allMatch(tries.getFirst()::equals);
      JsonNode message = tries.getFirst().at("/params/message");
      assertThat(message.at("/metadata/reply_to").asString()).isEqualTo("d-1");
      assertThat(message.at("/metadata/delegation_id").asString()).isEqualTo("d-1");
      assertThat(platform.deliveries().getLast().header("x-source-workspace-id"))
          .isEqualTo(agent.id().toString());
      assertThat(platform.deliveries().getLast().requestLine())
          .startsWith("POST /workspaces/6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10/a2a ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"id\":\"a-1\",\"source\":\"system\"}", "{\"id\":\"a-1\"}"})
  void dropsAReplyToARemovedWorkspace(String row) throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.then(PeerBehavior.answer(200, "[" + row + "]"));

      PollDelivery.builder(AgentServer.clientAt(platform.port(), agent))
          .build()
          .runOnce(MessageHandler.text((_, _) -> "to whom?"));

      assertThat(platform.deliveries()).hasSize(1);
    }
  }

  @Test
  void holdsAPollWithoutMessages() throws Exception {
    client.heartbeat(Heartbeat.HEALTHY); // the client learns that the server supports long polls
    PollDelivery delivery = memory();
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(
            () -> delivery.runOnce(this::note), Thread::startVirtualThread);
    awaitPoll();

    AgentServer.sendFromCanvas(agent, "m-1", "at once");

    assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(1);
  }

  @Test
  void endsAHeldPollWhenItIsStopped() throws Exception {
    client.heartbeat(Heartbeat.HEALTHY);
    PollDelivery delivery = memory();
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(
            () -> delivery.runOnce(this::note), Thread::startVirtualThread);
    awaitPoll();

    delivery.stop();

    assertThat(waiting.handle((_, failure) -> failure != null).get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(delivery.runOnce(this::note)).isZero();
  }

  private static void awaitPoll() {
    Awaitility.await()
        .until(() ->
            AgentServer.SERVER
                .metrics()
                .lines()
                .anyMatch(line -> line.matches("muster_polls_waiting(\\{.*})? [1-9].*")));
  }

  private Reply note(InboundMessage message, AgentClient platform) {
    handled.add(message.text());
    return Reply.none();
  }

  private PollDelivery memory() {
    return PollDelivery.builder(client).build();
  }

  private PollDelivery kept(Path file) {
    return PollDelivery.builder(client).cursorFile(file).build();
  }

  private PollDelivery held(Path file) {
    client.heartbeat(Heartbeat.HEALTHY);
    return kept(file);
  }
}
