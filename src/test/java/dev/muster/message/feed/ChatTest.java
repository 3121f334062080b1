package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The chat of a workspace, in its history and live, is the conversation of people with its agent:
 * never messages between agents.
 */
@Timeout(60)
class ChatTest {

  private static final Set<String> CHAT = Set.of("USER_MESSAGE", "AGENT_MESSAGE", "A2A_RESPONSE");
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final TestClient CLIENT = TestServer.shared().client();

  /** The action goes to {@code agent}, which polls or is called; its {@code parent} polls. */
  record Scene(Agent agent, Agent parent, TestPeer peer) {

    Answer send(Agent target, String token, String method, String id) {
      String body =
          """
          {"jsonrpc":"2.0","id":"1","method":"%s","params":{"message":{"role":"user",
          "messageId":"%s","parts":[{"kind":"text","text":"words"}]}}}\
          """
              .formatted(method, id);
      return CLIENT.post("/workspaces/" + target.id() + "/a2a", token, body);
    }

    Answer delegate(Agent from, Agent to) {
      return accepted(
          CLIENT.post(
              "/workspaces/" + from.id() + "/delegate",
              from.token(),
              "{\"target_id\":\"" + to.id() + "\",\"task\":\"do it\"}"));
    }

    /** Waits until the answer of the push agent to this message is stored. */
    void awaitAnswer(String messageId) {
      await(
          """
          SELECT count(*) FROM delivery_outcomes o JOIN activity_logs r USING (workspace_id, seq)
          WHERE o.state = 'answered' AND r.workspace_id = '%s' AND r.message_id = '%s'
          """
              .formatted(agent.id(), messageId));
    }

    /** Waits until the queued message of the push agent is delivered. */
    void awaitDelivery() {
      await(
          "SELECT count(*) FROM delivery_outcomes WHERE queue_state = 'delivered' AND workspace_id"
              + " = '"
              + agent.id()
              + "'");
    }

    /**
     * Waits for the end of a delegation in the agent's feed: without a sender, as messages of the
     * canvas.
     */
    void awaitResult(String delegationId) {
      await(
          """
          SELECT count(*) FROM activity_logs WHERE source_id IS NULL AND method = 'delegate_result'
              AND workspace_id = '%s' AND message_id = '%s:result'
          """
              .formatted(agent.id(), delegationId));
    }

    private static void await(String countOfOne) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> TestServer.shared().database().value(countOfOne), "1"::equals);
    }
  }

  /**
   * One kind of row: whether its feed's agent is called, and the expected roles and live events.
   */
  record Kind(
      String name,
      boolean isCalled,
      Consumer<Scene> action,
      List<String> roles,
      List<String> live) {

    Kind shows(String... roles) {
      return new Kind(name, isCalled, action, List.of(roles), live);
    }

    Kind publishes(String... events) {
      return new Kind(name, isCalled, action, roles, List.of(events));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    kinds.add(
        kind(
                "a person's message that waits",
                s -> s.send(s.agent(), ADMIN_TOKEN, "message/send", "m"))
            .shows("user")
            .publishes("USER_MESSAGE"));
    kinds.add(
        called(
                "a person's message that is answered",
                s -> s.send(s.agent(), ADMIN_TOKEN, "message/send", "m"))
            .shows("user", "agent")
            .publishes("USER_MESSAGE", "A2A_RESPONSE"));
    kinds.add(
        called(
                "a person's message that is refused",
                s -> {
                  s.peer().then(PeerBehavior.answer(400, "no"));
                  s.send(s.agent(), ADMIN_TOKEN, "message/send", "m");
                })
            .shows("user", "system")
            .publishes("USER_MESSAGE"));
    kinds.add(
        called(
                "a person's message that fails",
                s -> {
                  s.peer()
                      .then(
                          PeerBehavior.answer(
                              200,
                              "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":-32000,\"message\":\"no\"}}"));
                  s.send(s.agent(), ADMIN_TOKEN, "message/send", "m");
                })
            .shows("user", "system")
            .publishes("USER_MESSAGE", "A2A_RESPONSE"));
    kinds.add(
        called(
            "a person's call without a message",
            s ->
                CLIENT.post(
                    "/workspaces/" + s.agent().id() + "/a2a",
                    ADMIN_TOKEN,
                    "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}")));
    kinds.add(
        kind(
                "a notification",
                s ->
                    accepted(
                        CLIENT.post(
                            "/workspaces/" + s.agent().id() + "/notify",
                            s.agent().token(),
                            "{\"message\":\"n\"}")))
            .shows("agent")
            .publishes("AGENT_MESSAGE"));
    kinds.add(
        kind(
                "a person's message that a notification answers",
                s -> {
                  s.send(s.agent(), ADMIN_TOKEN, "message/send", "m");
                  accepted(
                      CLIENT.post(
                          "/workspaces/" + s.agent().id() + "/notify",
                          s.agent().token(),
                          "{\"message\":\"n\",\"reply_to\":\"m\"}"));
                })
            .shows("user", "agent")
            .publishes("USER_MESSAGE", "AGENT_MESSAGE"));
    kinds.add(
        kind(
            "a peer's message that waits",
            s -> accepted(s.send(s.agent(), s.parent().token(), "message/send", "m"))));
    kinds.add(
        called(
            "a peer's message that is answered",
            s -> accepted(s.send(s.agent(), s.parent().token(), "message/send", "m"))));
    kinds.add(
        kind(
            "a message to itself",
            s -> accepted(s.send(s.agent(), s.agent().token(), "message/send", "m"))));
    kinds.add(kind("a delegation that it gave", s -> s.delegate(s.agent(), s.parent())));
    kinds.add(kind("a delegation that it got", s -> s.delegate(s.parent(), s.agent())));
    kinds.add(
        kind(
            "the end of a delegation that it gave",
            s -> {
              String id = s.delegate(s.agent(), s.parent()).field("delegation_id");
              accepted(
                  CLIENT.post(
                      "/workspaces/" + s.parent().id() + "/delegations/" + id + "/update",
                      s.parent().token(),
                      "{\"status\":\"completed\",\"result\":\"done\"}"));
            }));
    kinds.add(
        called(
            "a delegation that it got and answers",
            s -> s.awaitAnswer(s.delegate(s.parent(), s.agent()).field("delegation_id"))));
    kinds.add(
        kind(
            "the answer of a called agent to a delegation that it gave",
            s -> {
              Agent callee = called(s.peer(), "\"parent_id\":\"" + s.parent().id() + "\"");
              s.awaitResult(s.delegate(s.agent(), callee).field("delegation_id"));
            }));
    kinds.add(
        called(
            "the end, sent to it as a message, of a delegation that it gave",
            s -> {
              String id = s.delegate(s.agent(), s.parent()).field("delegation_id");
              accepted(
                  CLIENT.post(
                      "/workspaces/" + s.parent().id() + "/delegations/" + id + "/update",
                      s.parent().token(),
                      "{\"status\":\"completed\",\"result\":\"done\"}"));
              s.awaitResult(id);
              s.awaitDelivery();
              assertThat(s.peer().deliveries().getLast().text()).contains(id + ":result");
            }));
    for (String type :
        List.of(
            "a2a_send",
            "a2a_receive",
            "task_update",
            "agent_log",
            "skill_promotion",
            "memory_write",
            "error")) {
      kinds.add(
          kind(
              "a report of type " + type,
              s ->
                  accepted(
                      CLIENT.post(
                          "/workspaces/" + s.agent().id() + "/activity",
                          s.agent().token(),
                          """
                          {"activity_type":"%s","method":"notify","summary":"s","response_body":{"result":"r"},
                          "request_body":{"params":{"message":{"messageId":"m","parts":[{"kind":"text","text":"t"}]}}}}\
                          """
                              .formatted(type)))));
    }
    return kinds.stream();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void showsOnlyTheConversationOfPeopleWithTheAgent(Kind kind) throws IOException {
    try (TestPeer peer = TestPeer.start();
        TestSocket canvas = TestSocket.open(CLIENT, "/ws", ADMIN_TOKEN)) {
      Agent parent = CLIENT.create("parent");
      String below = "\"parent_id\":\"" + parent.id() + "\"";
      Agent agent = kind.isCalled() ? called(peer, below) : CLIENT.create("agent", below);
      Scene scene = new Scene(agent, parent, peer);

      kind.action().accept(scene);

      JsonNode history =
          CLIENT.get("/workspaces/" + agent.id() + "/chat-history", ADMIN_TOKEN).json();
      List<String> roles = new ArrayList<>();
      history.path("messages").forEach(message -> roles.add(message.path("role").asString()));
      assertThat(roles).as(history.toString()).isEqualTo(kind.roles());

      // live events of this later feed come after all of the first one
      Agent last = called(peer, below);
      scene.send(last, ADMIN_TOKEN, "message/send", "last");
      canvas.await(
          frame -> isOf(frame, last.id()) && frame.path("event").asString().equals("A2A_RESPONSE"));
      assertThat(
              canvas.frames().stream()
                  .filter(frame -> isOf(frame, agent.id()))
                  .map(frame -> frame.path("event").asString())
                  .filter(CHAT::contains))
          .containsExactlyElementsOf(kind.live());
    }
  }

  private static boolean isOf(JsonNode frame, UUID id) {
    return frame.path("workspace_id").asString("").equals(id.toString());
  }

  private static Agent called(TestPeer peer, String more) {
    return CLIENT.createOnline(
        "called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"", more);
  }

  private static Answer accepted(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isBetween(200, 202);
    return answer;
  }

  private static Kind kind(String name, Consumer<Scene> action) {
    return new Kind(name, false, action, List.of(), List.of());
  }

  private static Kind called(String name, Consumer<Scene> action) {
    return new Kind(name, true, action, List.of(), List.of());
  }
}
