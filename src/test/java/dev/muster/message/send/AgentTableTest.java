package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.agent.AgentClient;
import dev.muster.agent.SendResult;
import dev.muster.testing.FastPace;
import dev.muster.testing.JsonRpcText;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.SdkAgent;
import dev.muster.testing.SdkAgent.Sdk;
import dev.muster.testing.SdkAgent.Taken;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestPeer.Delivery;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.AssertionFailedError;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every path of a message to every kind of agent: what arrives there (version, header, ids, once)
 * and what its sender gets. The agents are registered as their authors do it, with the card that
 * they serve. {@code src/test/sdks/run} takes the same paths with the SDKs themselves.
 */
@Slow
@Timeout(90)
class AgentTableTest {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final PeerBehavior BAD_GATEWAY =
      PeerBehavior.answer(502, Map.of("Content-Type", "text/html"), "<h1>502</h1>");

  /** The agents; {@code said} is the answer to a message with the text "hello" and the id m. */
  enum Kind {
    PYTHON(Sdk.PYTHON, "200 1.0 message \"echo of m: hello\"", "completed"),
    PYTHON_WITH_0_3(Sdk.PYTHON_WITH_0_3, "200 1.0 message \"echo of m: hello\"", "completed"),
    PYTHON_0_3(Sdk.PYTHON_0_3, "200 0.3 message \"echo of m: hello\"", "completed"),
    JAVASCRIPT(Sdk.JAVASCRIPT, "200 1.0 message \"echo of m: hello\"", "completed"),
    ADK(Sdk.ADK, "200 1.0 task TASK_STATE_COMPLETED \"echo: hello\"", "completed"),
    PLAIN(Sdk.PLAIN, "200 0.3 message \"echo of m: hello\"", "completed"),
    /** Takes each message for later, and says so with a 202. */
    RECEIPT(Sdk.PLAIN, "202 unknown, id null", "in_progress"),
    /** Answers with a task on which it works. */
    WORKING(Sdk.PLAIN, "200 0.3 task working", "in_progress"),
    /** Answers every request with a stream of events. */
    STREAMS(Sdk.PLAIN, "200 0.3 message \"at last\"", "completed");

    private final Sdk sdk;
    private final String said;
    private final String delegation;

    Kind(Sdk sdk, String said, String delegation) {
      this.sdk = sdk;
      this.said = said;
      this.delegation = delegation;
    }

    private String version() {
      return sdk.speaks10() ? "1.0" : "0.3";
    }

    /** Answers in its way what the stand-in has taken. */
    private PeerBehavior behavior(SdkAgent agent) {
      return switch (this) {
        case RECEIPT ->
            agent.answering(
                202,
                _ -> "{\"status\":\"queued\",\"delivery_mode\":\"poll\",\"activity_id\":\"7\"}");
        case WORKING ->
            agent.answering(
                200,
                id ->
                    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"status\":{\"state\":\"working\"}}}"
                        .formatted(id));
        case STREAMS ->
            agent.answering(
                200,
                id ->
                    """
                    data: {"jsonrpc":"2.0","id":%1$s,"result":{"kind":"task","id":"t","status":{"state":"working"}}}

                    data: {"jsonrpc":"2.0","id":%1$s,"result":{"kind":"message","messageId":"a","role":"agent",\
                    "parts":[{"kind":"text","text":"at last"}]}}

                    """
                        .formatted(id));
        default -> agent;
      };
    }
  }

  /** One cell of the table. */
  private interface Cell {
    void check(Row row) throws IOException;
  }

  private static TestServer server;
  private static TestClient client;
  private static Agent team;

  @BeforeAll
  static void startServer() {
    server =
        TestServer.startWith(
            TestDatabases.create(), List.of(FastPace.class), "AGENT_URL_ALLOW=loopback");
    client = server.client();
    team = client.create("Team");
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void directMessage() {
    forEach(row -> {
      Answer answer = row.send(false, "r-1");

      assertThat(described(answer, "r-1")).isEqualTo(row.said("m-1"));
      row.assertTaken("m-1");
    });
  }

  @Test
  void directMessageToAnAgentWhoseProxyAnswers502() {
    forEach(
        Set.of(),
        List.of(BAD_GATEWAY),
        row -> {
          Answer refused = row.send(false, "r-1");
          assertThat(refused.status()).as(refused.text()).isEqualTo(502);
          assertThat(refused.field("code")).isEqualTo("AGENT_HTTP_ERROR");

          Answer again = row.send(false, "r-2");

          assertThat(described(again, "r-2")).isEqualTo(row.said("m-1"));
          row.assertTaken("m-1");
        });
  }

  @Test
  void stream() {
    forEach(
        Set.of(Kind.RECEIPT, Kind.WORKING, Kind.STREAMS),
        List.of(),
        row -> {
          Answer answer = row.send(true, "r-1");

          assertThat(described(answer, "r-1"))
              .startsWith("200 stream of " + row.kind.version())
              .endsWith(row.kind == Kind.ADK ? "COMPLETED" : "\"echo of m-1: hello\"");
          row.assertTaken("m-1");
        });
  }

  @Test
  void queuedMessage() {
    forEach(row -> {
      row.busy(1);
      String queueId = row.queue();
      assertThat(row.peer.deliveries()).isEmpty();

      row.busy(0);

      row.assertTaken("m-1");
      row.assertDelivered(queueId);
    });
  }

  @Test
  void queuedMessageToAnAgentWhoseProxyAnswers502() {
    forEach(
        Set.of(),
        List.of(BAD_GATEWAY),
        row -> {
          row.busy(1);
          String queueId = row.queue();
          row.busy(0);

          row.assertTaken("m-1");
          row.assertDelivered(queueId);
        });
  }

  @Test
  void operatorsRetry() {
    forEach(
        Set.of(),
        List.of(BAD_GATEWAY),
        row -> {
          row.busy(1);
          String queueId = row.queue();
          row.busy(0);
          row.peer.awaitDeliveries(1);
          row.busy(1);
          Answer tried =
              Awaitility.await()
                  .atMost(LIMIT)
                  .until(
                      () -> row.queued(queueId), one -> !one.field("state").equals("delivering"));
          assertThat(tried.field("state")).as(tried.text()).isEqualTo("waiting");
          assertThat(row.agent.taken()).isEmpty();

          Answer retried = client.post("/admin/a2a-queue/" + queueId + "/retry", ADMIN_TOKEN, "");
          assertThat(retried.status()).as(retried.text()).isEqualTo(200);
          row.busy(0);

          row.assertTaken("m-1");
          row.assertDelivered(queueId);
        });
  }

  @Test
  void changeOfModeWhileItWaits() {
    forEach(row -> {
      row.busy(1);
      row.send(false, "r-1");
      row.patch("{\"delivery_mode\":\"poll\"}");
      row.patch("{\"delivery_mode\":\"push\",\"url\":\"" + row.peer.url() + "\"}");
      row.busy(0);

      row.assertTaken("m-1");
    });
  }

  @Test
  void delegation() {
    forEach(row -> {
      String id = delegate(row.sender, row.called);

      row.assertTakenFromServer(id);
      row.assertDelegation(id);
    });
  }

  @Test
  void delegationToAnAgentWhoseProxyAnswers502() {
    forEach(
        Set.of(),
        List.of(BAD_GATEWAY, BAD_GATEWAY),
        row -> {
          String id = delegate(row.sender, row.called);

          row.assertTakenFromServer(id);
          row.assertDelegation(id);
        });
  }

  @Test
  void resultOfADelegationToAPushCaller() {
    forEach(Row::assertGetsItsResult);
  }

  @Test
  void resultOfADelegationToAPushCallerWhoseProxyAnswers502() {
    forEach(Set.of(), List.of(BAD_GATEWAY), Row::assertGetsItsResult);
  }

  @Test
  void messageFromTheConsoleToMany() {
    forEach(row -> {
      Answer run =
          client.post(
              "/admin/bulk",
              ADMIN_TOKEN,
              "{\"action\":\"message\",\"ids\":[\"%s\"],\"text\":\"hello\",\"expect_count\":1}"
                  .formatted(row.called.id()));
      assertThat(run.status()).as(run.text()).isEqualTo(202);

      row.assertTakenFromServer(row.awaitTaken().messageId());
    });
  }

  /** As the page of a chat sends it: in 0.3, without a version. */
  @Test
  void messageFromTheChatOfTheConsole() {
    forEach(row -> {
      Answer answer = client.post(path(row.called), ADMIN_TOKEN, request("0.3", false, "m-1"));

      assertThat(answer.status()).as(answer.text()).isBetween(200, 202);
      assertThat(answer.json().has("error")).as(answer.text()).isFalse();
      assertThat(row.agent.taken())
          .singleElement()
          .extracting(Taken::messageId, Taken::text)
          .containsExactly("m-1", "hello");
    });
  }

  @Test
  void repeatedMessage() {
    forEach(row -> {
      row.send(false, "r-1");
      Answer again = row.send(false, "r-2");

      assertThat(described(again, "r-2")).isEqualTo(row.said("m-1"));
      row.assertTaken("m-1");
    });
  }

  /** Of a stream the last event is kept. */
  @Test
  void repeatedStream() {
    forEach(
        Set.of(Kind.RECEIPT, Kind.WORKING, Kind.STREAMS),
        List.of(),
        row -> {
          row.send(true, "r-1");
          Answer again = row.send(true, "r-2");

          assertThat(described(again, "r-2"))
              .isEqualTo(
                  row.kind == Kind.ADK
                      ? "200 stream of 1.0 statusUpdate TASK_STATE_COMPLETED"
                      : row.said("m-1").replace("200", "200 stream of"));
          row.assertTaken("m-1");
        });
  }

  @Test
  void messageOfTheAgentLibrary() {
    forEach(row -> {
      AgentClient library =
          AgentClient.builder(client.baseUrl(), row.sender.id().toString())
              .token(row.sender.token())
              .build();
      SendResult result = library.send(row.called.id().toString(), "hello");

      assertThat(result).isNotInstanceOf(SendResult.Refused.class);
      assertThat(row.awaitTaken().messageId()).isEqualTo(result.messageId());
    });
  }

  /** The same agents when they poll, and so answer later. */
  @Test
  void messageToAPollingAgent() {
    forEach(row -> {
      row.patch("{\"delivery_mode\":\"poll\"}");
      Answer answer = row.send(false, "r-1");
      Answer again = row.send(false, "r-2");

      if (row.kind.version().equals("1.0")) {
        assertThat(described(answer, "r-1")).isEqualTo("200 1.0 task TASK_STATE_SUBMITTED");
        assertThat(described(again, "r-2")).isEqualTo("200 1.0 task TASK_STATE_SUBMITTED");
      } else {
        assertThat(answer.field("status")).isEqualTo("queued");
        assertThat(again.text()).isEqualTo(answer.text());
      }
      JsonNode feed =
          client
              .get(
                  "/workspaces/" + row.called.id() + "/activity?type=a2a_receive",
                  row.called.token())
              .json();
      assertThat(feed.size()).as(feed.toString()).isEqualTo(1);
      assertThat(row.peer.deliveries()).isEmpty();
    });
  }

  private static void forEach(Cell cell) {
    forEach(Set.of(), List.of(), cell);
  }

  /**
   * Checks the cell of each kind of agent, all at the same time; {@code first} is what each does
   * first.
   */
  private static void forEach(Set<Kind> without, List<PeerBehavior> first, Cell cell) {
    Map<Kind, Throwable> failures = new ConcurrentSkipListMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Kind kind : Kind.values()) {
        if (!without.contains(kind)) {
          threads.execute(() -> {
            try (Row row = new Row(kind, first)) {
              cell.check(row);
            } catch (Exception | AssertionError e) {
              failures.put(kind, e);
            }
          });
        }
      }
    }
    if (!failures.isEmpty()) {
      AssertionFailedError failed = new AssertionFailedError(failures.keySet() + " fail");
      failures.values().forEach(failed::addSuppressed);
      throw failed;
    }
  }

  /** An agent of one kind, registered with its card, and a polling agent that sends to it. */
  private static final class Row implements AutoCloseable {

    private final Kind kind;
    private final SdkAgent agent;
    private final TestPeer peer;
    private final Agent called;
    private final Agent sender;

    Row(Kind kind, List<PeerBehavior> first) throws IOException {
      this.kind = kind;
      agent = new SdkAgent(kind.sdk);
      peer =
          TestPeer.start().then(first.toArray(PeerBehavior[]::new)).usually(kind.behavior(agent));
      String address = peer.url().substring(0, peer.url().lastIndexOf('/'));
      String parent = "\"parent_id\":\"" + team.id() + "\"";
      called = client.create(kind.name(), "\"max_concurrent_tasks\":1", parent);
      ObjectNode registration = JSON.createObjectNode().put("id", called.id().toString());
      registration.set("agent_card", kind.sdk.card(address));
      Answer registered =
          client.post("/registry/register", called.token(), registration.toString());
      assertThat(registered.field("delivery_mode")).as(registered.text()).isEqualTo("push");
      sender = client.createOnline("Sender", "\"delivery_mode\":\"poll\"", parent);
    }

    @Override
    public void close() throws IOException {
      peer.close();
    }

    String said(String messageId) {
      return kind.said.replace("of m:", "of " + messageId + ":");
    }

    void busy(int tasks) {
      client.heartbeat(called, "\"active_tasks\":" + tasks);
    }

    void patch(String fields) {
      Answer answer = client.patch("/workspaces/" + called.id(), ADMIN_TOKEN, fields);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    /** Sends "hello" under the id m-1, as a client that has read the agent's card does. */
    Answer send(boolean stream, String requestId) {
      String body = request(kind.version(), stream, requestId);
      return kind.version().equals("1.0")
          ? client.post(path(called), sender.token(), body, "A2A-Version", "1.0")
          : client.post(path(called), sender.token(), body);
    }

    /** Sends while the agent is busy; returns the id of the queued message. */
    String queue() {
      Answer queued = send(false, "r-1");
      assertThat(queued.status()).as(queued.text()).isEqualTo(202);
      if (kind.version().equals("0.3")) {
        return queued.field("queue_id");
      }
      assertThat(described(queued, "r-1")).isEqualTo("202 1.0 task TASK_STATE_SUBMITTED");
      return queued.json().path("result").path("task").path("id").asString();
    }

    Answer queued(String queueId) {
      return client.get(path(called) + "/queue/" + queueId, ADMIN_TOKEN);
    }

    Taken awaitTaken() {
      Awaitility.await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(agent.taken())
                  .as("refused: " + peer.deliveries().stream().map(Delivery::text).toList())
                  .isNotEmpty());
      return agent.taken().getFirst();
    }

    /** It was taken once, in the version of a client that has read the card, with its header. */
    void assertTaken(String messageId) {
      assertTaken(messageId, Set.of(kind.version()));
    }

    /** It was taken once, in a version on the card, with its header. */
    void assertTakenFromServer(String messageId) {
      assertTaken(
          messageId, kind == Kind.PYTHON_WITH_0_3 ? Set.of("0.3", "1.0") : Set.of(kind.version()));
    }

    private void assertTaken(String messageId, Set<String> versions) {
      Taken first = awaitTaken();
      assertThat(agent.taken()).containsExactly(first);
      assertThat(first.messageId()).isEqualTo(messageId);
      assertThat(first.text()).contains(messageId.endsWith(":result") ? "done" : "hello");
      assertThat(first.version()).isIn(versions);
      String header = peer.deliveries().getLast().header("a2a-version");
      assertThat(header).isIn(first.version().equals("1.0") ? List.of("1.0") : List.of("0.3", ""));
    }

    void assertDelivered(String queueId) {
      Answer end =
          Awaitility.await()
              .atMost(LIMIT)
              .until(() -> queued(queueId), one -> one.field("state").equals("delivered"));
      int status = Integer.parseInt(kind.said.substring(0, "200".length()));
      String answer = end.json().path("answer").toString();
      assertThat(JsonRpcText.of(status, "application/json", answer, id("r-1")))
          .isEqualTo(said("m-1"));
    }

    void assertDelegation(String id) {
      JsonNode delegation =
          Awaitility.await()
              .atMost(LIMIT)
              .until(
                  () ->
                      client
                          .get("/workspaces/" + sender.id() + "/delegations/" + id, sender.token())
                          .json(),
                  one -> one.path("status").asString().equals(kind.delegation));
      String result = delegation.path("result").asString("");
      assertThat(said(id))
          .contains(kind.delegation.equals("completed") ? "\"" + result + "\"" : result);
    }

    /** The agent gave the task to the sender, which polls and reports its end. */
    void assertGetsItsResult() {
      String id = delegate(called, sender);
      Answer ended =
          client.post(
              "/workspaces/" + sender.id() + "/delegations/" + id + "/update",
              sender.token(),
              "{\"status\":\"completed\",\"result\":\"done\"}");
      assertThat(ended.status()).as(ended.text()).isEqualTo(200);

      assertTakenFromServer(id + ":result");
    }
  }

  private static String path(Agent target) {
    return "/workspaces/" + target.id() + "/a2a";
  }

  private static String request(String version, boolean stream, String requestId) {
    String method =
        version.equals("1.0")
            ? stream ? "SendStreamingMessage" : "SendMessage"
            : stream ? "message/stream" : "message/send";
    String message =
        version.equals("1.0")
            ? "'role':'ROLE_USER','parts':[{'text':'hello'}]"
            : "'role':'user','parts':[{'kind':'text','text':'hello'}]";
    return "{'jsonrpc':'2.0','id':'%s','method':'%s','params':{'message':{'messageId':'m-1',%s}}}"
        .formatted(requestId, method, message)
        .replace('\'', '"');
  }

  private static String described(Answer answer, String requestId) {
    return JsonRpcText.of(
        answer.status(), answer.header("Content-Type"), answer.text(), id(requestId));
  }

  private static JsonNode id(String requestId) {
    return JSON.getNodeFactory().stringNode(requestId);
  }

  private static String delegate(Agent caller, Agent callee) {
    Answer answer =
        client.post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"" + callee.id() + "\",\"task\":\"hello\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }
}
