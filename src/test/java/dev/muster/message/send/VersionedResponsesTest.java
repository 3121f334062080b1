package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The responses that the server itself gives are in the version of the request (R7.5, R7.7, R7.11).
 */
@Slow
@Timeout(60)
class VersionedResponsesTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private final Agent lead = CLIENT.create("Lead");
  private final Agent polling = CLIENT.create("Polling", child());

  /** A push agent that has not reported yet, so that its messages are queued. */
  private final Agent awaited =
      CLIENT.create(
          "Awaited", child(), "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private String child() {
    return "\"parent_id\":\"" + lead.id() + "\"";
  }

  @ParameterizedTest
  @CsvSource({
    "SendMessage, , false",
    "SendStreamingMessage, , true",
    "message/send, 1.0, false",
    "message/stream, 1.0.1, true"
  })
  void answerA1RequestToAPollAgentWithASubmittedTask(
      String method, String version, boolean isStream) {
    for (String token : List.of(ADMIN_TOKEN, lead.token())) {
      Answer answer = send(polling, token, request(method, "'one'", ""), version);

      assertThat(answer.status()).isEqualTo(200);
      String id = assertSubmitted(answer, isStream, "\"one\"");
      assertThat(PROXY.row(id, "method || ' ' || message_id")).isEqualTo(method + " m");
      assertThat(send(polling, token, request(method, "'two'", ""), version).text())
          .isEqualTo(answer.text().replace("\"one\"", "\"two\""));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SendMessage, , false",
    "SendStreamingMessage, , true",
    "message/send, 1.0, false",
    "message/stream, 1.0.1, true"
  })
  void answerAQueued1RequestWithASubmittedTask(String method, String version, boolean isStream) {
    Answer answer = send(awaited, ADMIN_TOKEN, request(method, "7", ""), version);

    assertThat(answer.status()).isEqualTo(202);
    String id = assertSubmitted(answer, isStream, "7");
    Answer repeat = send(awaited, ADMIN_TOKEN, request(method, "null", ""), version);
    assertThat(repeat.status()).isEqualTo(202);
    assertThat(assertSubmitted(repeat, isStream, "null")).isEqualTo(id);
    assertThat(
            CLIENT
                .get("/workspaces/" + awaited.id() + "/a2a/queue/" + id, ADMIN_TOKEN)
                .field("state"))
        .isEqualTo("waiting");
  }

  private static String assertSubmitted(Answer answer, boolean isStream, String rpcId) {
    JsonNode json = document(answer, isStream);
    String id = json.at("/result/task/id").asString();
    assertThat(json)
        .hasToString(
            """
            {"jsonrpc":"2.0","id":%s,"result":{"task":{"id":"%s","contextId":"%s",\
            "status":{"state":"TASK_STATE_SUBMITTED"}}}}\
            """
                .formatted(rpcId, id, id));
    return id;
  }

  @Test
  void keepTheContextOfTheMessage() {
    String request = request("SendMessage", "1", "'contextId':'c-1',");

    for (Agent agent : List.of(polling, awaited)) {
      assertThat(send(agent, ADMIN_TOKEN, request, null).json().at("/result/task/contextId"))
          .hasToString("\"c-1\"");
    }
  }

  @ParameterizedTest
  @CsvSource({"message/send,", "message/stream,", "message/send, 0.3", "message/send, nonsense"})
  void keepTheOldShapeForAnOlderRequest(String method, @Nullable String version) {
    Answer polled = send(polling, ADMIN_TOKEN, request(method, "1", ""), version);
    Answer queued = send(awaited, ADMIN_TOKEN, request(method, "1", ""), version);

    assertThat(polled.text())
        .startsWith("{\"status\":\"queued\",\"delivery_mode\":\"poll\",\"method\":\"" + method);
    assertThat(queued.text()).startsWith("{\"status\":\"queued\",\"queued\":true,\"queue_id\":");
    assertThat(queued.status()).isEqualTo(202);
  }

  @ParameterizedTest
  @CsvSource({
    "tasks/get, -32001, false",
    "GetTask, -32001, false",
    "tasks/cancel, -32001, false",
    "CancelTask, -32001, false",
    "tasks/resubscribe, -32001, true",
    "SubscribeToTask, -32001, true",
    "tasks/pushNotificationConfig/set, -32001, false",
    "CreateTaskPushNotificationConfig, -32001, false",
    "tasks/pushNotificationConfig/get, -32001, false",
    "GetTaskPushNotificationConfig, -32001, false",
    "tasks/pushNotificationConfig/list, -32001, false",
    "ListTaskPushNotificationConfigs, -32001, false",
    "tasks/pushNotificationConfig/delete, -32001, false",
    "DeleteTaskPushNotificationConfig, -32001, false",
    "tasks/list, -32601, false",
    "ListTasks, -32601, false",
    "agent/getAuthenticatedExtendedCard, -32601, false",
    "GetExtendedAgentCard, -32601, false"
  })
  void refuseWhatAPollAgentCannotAnswer(String method, int code, boolean isStream) {
    for (String token : List.of(ADMIN_TOKEN, lead.token())) {
      Answer answer = send(polling, token, request(method, "'one'", ""), null);

      assertThat(answer.status()).isEqualTo(200);
      JsonNode json = document(answer, isStream);
      assertThat(json.path("id").asString()).isEqualTo("one");
      assertThat(json.at("/error/code").asInt()).isEqualTo(code);
      assertThat(json.at("/error/message").asString()).contains("fetches its messages");
    }
    assertThat(PROXY.rows(polling)).isZero();
  }

  @Test
  void tellAQueued1RequestWithoutAMessageThatThereIsNoAnswer() {
    Answer answer = send(awaited, ADMIN_TOKEN, request("GetTask", "1", ""), null);

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json().path("id").asInt()).isEqualTo(1);
    assertThat(answer.json().at("/error/code").asInt()).isEqualTo(-32603);
    assertThat(answer.json().at("/error/message").asString()).contains("queued as ");
  }

  @Test
  void refuseASenderWithoutAccessFirst() {
    Agent stranger = CLIENT.create("Stranger");

    assertRefused(
        send(polling, stranger.token(), request("GetTask", "1", ""), null), 403, "FORBIDDEN");
  }

  /** Also when the server remembers it as one that polls. */
  @Test
  void leaveTheMethodsOfAPushAgentToIt() throws IOException {
    assertThat(send(polling, ADMIN_TOKEN, request("GetTask", "1", ""), null).text())
        .contains("fetches its messages");
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.answer(200, PushAgents.ANSWER));
      String push = "{\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"}";
      assertThat(CLIENT.patch("/workspaces/" + polling.id(), ADMIN_TOKEN, push).status())
          .isEqualTo(200);
      CLIENT.heartbeat(polling);

      assertThat(send(polling, ADMIN_TOKEN, request("GetTask", "1", ""), null).text())
          .isEqualTo(PushAgents.ANSWER);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SendMessage, , false",
    "SendStreamingMessage, , true",
    "message/send, 1.0, false",
    "message/stream, 1.0, true"
  })
  void giveTheAnswerOfAPollAgentInVersion1(String method, String version, boolean isStream)
      throws Exception {
    for (String part : List.of("{'kind':'text','text':'done'}", "{'text':'done'}")) {
      Agent agent = CLIENT.create("Polling", child());
      CompletableFuture<Answer> waiting = waitingFor(agent, method, version);

      reply(agent, part);

      JsonNode json = document(waiting.get(20, TimeUnit.SECONDS), isStream);
      assertThat(json.path("id").asString()).isEqualTo("one");
      JsonNode message = json.at("/result/message");
      assertThat(message.path("role").asString()).isEqualTo("ROLE_AGENT");
      assertThat(message.path("messageId").asString()).isEqualTo("r");
      assertThat(message.has("kind")).isFalse();
      assertThat(message.path("parts")).hasToString("[{\"text\":\"done\"}]");
    }
  }

  @ParameterizedTest
  @CsvSource({"message/send", "message/stream"})
  void giveTheAnswerOfAPollAgentInVersion03(String method) throws Exception {
    for (String part : List.of("{'kind':'text','text':'done'}", "{'text':'done'}")) {
      Agent agent = CLIENT.create("Polling", child());
      CompletableFuture<Answer> waiting = waitingFor(agent, method, null);

      reply(agent, part);

      JsonNode message = waiting.get(20, TimeUnit.SECONDS).json().path("result");
      assertThat(message.path("role").asString()).isEqualTo("agent");
      assertThat(message.path("kind").asString()).isEqualTo("message");
      assertThat(message.at("/parts/0/kind").asString()).isEqualTo("text");
      assertThat(message.at("/parts/0/text").asString()).isEqualTo("done");
    }
  }

  private CompletableFuture<Answer> waitingFor(
      Agent agent, String method, @Nullable String version) {
    String path = ProxyClient.path(agent.id()) + "?wait=20";
    String request = request(method, "'one'", "");
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(
            () ->
                version == null
                    ? CLIENT.post(path, lead.token(), request)
                    : CLIENT.post(path, lead.token(), request, "A2A-Version", version),
            Thread::startVirtualThread);
    Awaitility.await().until(() -> PROXY.rows(agent) == 1);
    return waiting;
  }

  private void reply(Agent agent, String part) {
    Answer answer =
        PROXY.send(
            lead,
            agent.token(),
            ProxyClient.sending(
                "{'messageId':'r','parts':[" + part + "],'metadata':{'reply_to':'m'}}"));
    assertThat(answer.status()).isEqualTo(200);
  }

  private static JsonNode document(Answer answer, boolean isStream) {
    if (!isStream) {
      assertThat(answer.header("Content-Type")).isEqualTo("application/json");
      return answer.json();
    }
    assertThat(answer.header("Content-Type")).startsWith("text/event-stream");
    assertThat(answer.text()).startsWith("data: ").endsWith("\n\n");
    return JsonMapper.shared().readTree(answer.text().substring("data: ".length()));
  }

  private static Answer send(Agent to, String token, String body, @Nullable String version) {
    return version == null
        ? PROXY.send(to, token, body)
        : PROXY.send(to, token, body, "A2A-Version", version);
  }

  /** Single quotes stand for double ones. */
  private static String request(String method, String id, String more) {
    return "{'jsonrpc':'2.0','id':%s,'method':'%s','params':{'id':'t','message':{%s'messageId':'m','role':'ROLE_USER','parts':[{'text':'hi'}]}}}"
        .formatted(id, method, more)
        .replace('\'', '"');
  }
}
