package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Messages of the canvas and answers of agents become live events on every replica (R10.1). */
@Slow
@Timeout(60)
class LiveDeliveriesTest {

  private static final int SENDERS = 8;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");
  private static final TestServer OTHER = TestServer.startOn(DATABASE);

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  @Test
  void publishesAnAnswerOnAnotherReplica() throws Exception {
    try (TestPeer peer = TestPeer.start();
        TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Agent agent = called(peer);
      peer.then(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}"));

      new ProxyClient(ONE).patient().send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

      JsonNode frame = canvas.await("A2A_RESPONSE");
      assertThat(frame.path("workspace_id").asString()).isEqualTo(agent.id().toString());
      assertThat(List.copyOf(frame.path("payload").propertyNames()))
          .containsExactly("response_body", "method", "duration_ms", "message_id");
      assertThat(frame.at("/payload/response_body/result").asInt()).isEqualTo(7);
      assertThat(frame.at("/payload/method").asString()).isEqualTo("message/send");
      assertThat(frame.at("/payload/message_id").asString()).isEqualTo("m-1");
    }
  }

  @Test
  void publishesNoAnswerToPeers() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent = called(peer);
      Agent below = ONE.client().create("Below", "\"parent_id\":\"" + agent.id() + "\"");
      peer.then(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}"));
      try (TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN);
          TestSocket ofPeer = TestSocket.open(OTHER.client(), "/ws", below.token())) {
        new ProxyClient(ONE).send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
        canvas.await("A2A_RESPONSE");
        ONE.client().patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"name\":\"Later\"}");

        ofPeer.await("WORKSPACE_UPDATED");
        assertThat(ofPeer.frames())
            .noneMatch(frame -> frame.path("event").asString().equals("A2A_RESPONSE"));
      }
    }
  }

  @Test
  void publishesMessagesOfTheCanvasButNotOfAgents() throws Exception {
    try (TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Agent agent = ONE.client().create("Listening");
      new ProxyClient(ONE).send(agent, agent.token(), ProxyClient.message("own", "to myself"));
      new ProxyClient(ONE).send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hello"));

      JsonNode frame = canvas.await("USER_MESSAGE");

      assertThat(frame.path("payload").toString())
          .isEqualTo(
              "{\"message_id\":\"m-1\",\"content\":\"hello\",\"workspace_id\":\"%s\"}"
                  .formatted(agent.id()));
    }
  }

  @Test
  void publishesEachOfManyAnswersOnce() throws Exception {
    try (TestPeer peer = TestPeer.start();
        TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Agent agent = called(peer);
      List<String> ids = IntStream.range(0, 300).mapToObj(n -> "m-" + n).toList();

      Race.run(
          SENDERS,
          sender -> {
            for (int n = sender; n < ids.size(); n += SENDERS) {
              new ProxyClient(ONE).send(agent, ADMIN_TOKEN, ProxyClient.message(ids.get(n), "hi"));
            }
            return sender;
          });

      Awaitility.await().until(() -> answered(canvas, agent).size() >= ids.size());
      assertThat(answered(canvas, agent)).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  private static List<String> answered(TestSocket canvas, Agent agent) {
    return canvas.frames().stream()
        .filter(frame -> frame.path("event").asString().equals("A2A_RESPONSE"))
        .filter(frame -> frame.path("workspace_id").asString().equals(agent.id().toString()))
        .map(frame -> frame.at("/payload/message_id").asString())
        .toList();
  }

  private static Agent called(TestPeer peer) {
    return ONE.client()
        .createOnline("Called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
  }
}
