package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Refusals;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * In which version of A2A an agent is called (R7.13). The agent of these tests knows one version
 * and refuses the other as the official servers do.
 */
@Timeout(90)
class AgentProtocolTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);
  private static final String VERSION = "A2A-Version";

  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  /** Answers a message of its version by one in the same form. */
  private static PeerBehavior speaking(String version, int code, int status) {
    boolean isOne = version.equals("1.0");
    return exchange -> {
      TestPeer.Delivery got = exchange.receive();
      JsonNode request = JsonMapper.shared().readTree(got.body());
      boolean fits =
          isOne
              ? request.path("method").asString("").equals("SendMessage")
                  && got.header("a2a-version").equals("1.0")
              : request.path("method").asString("").equals("message/send");
      String answer =
          !fits
              ? "'error':{'code':" + code + ",'message':'not in this version'}"
              : isOne
                  ? "'result':{'message':{'messageId':'a','role':'ROLE_AGENT','parts':[{'text':'yes'}]}}"
                  : "'result':{'kind':'message','messageId':'a','role':'agent','parts':[{'kind':'text','text':'yes'}]}";
      exchange.answer(
          fits ? 200 : status,
          Map.of("Content-Type", "application/json"),
          ("{'jsonrpc':'2.0','id':" + request.path("id") + "," + answer + "}")
              .replace('\'', '"')
              .getBytes(StandardCharsets.UTF_8));
      return true;
    };
  }

  private Agent called() {
    return new PushAgents(SERVER).at(peer.url());
  }

  private List<String> methods() {
    return peer.deliveries().stream()
        .map(one -> JsonMapper.shared().readTree(one.body()).path("method").asString())
        .toList();
  }

  private static String known(Agent agent) {
    return SERVER
        .database()
        .value(
            "SELECT coalesce(agent_protocol, '-') FROM workspaces WHERE id = '" + agent.id() + "'");
  }

  @ParameterizedTest
  @CsvSource({"-32601, 200", "-32009, 200", "-32601, 404", "-32009, 400"})
  void learnsTheVersionOfAnAgent(int code, int status) {
    peer.usually(speaking("1.0", code, status));
    Agent agent = called();

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.json().at("/result/kind").asString()).isEqualTo("message");
    assertThat(answer.json().at("/result/role").asString()).isEqualTo("agent");
    assertThat(answer.json().at("/result/parts/0/kind").asString()).isEqualTo("text");
    assertThat(known(agent)).isEqualTo("1.0");
    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-2", "hi")).status())
        .isEqualTo(200);
    assertThat(methods()).containsExactly("message/send", "SendMessage", "SendMessage");
    JsonNode sent = JsonMapper.shared().readTree(peer.deliveries().getLast().body());
    assertThat(sent.at("/params/message/role").asString()).isEqualTo("ROLE_USER");
    assertThat(sent.at("/params/message/parts/0").toString()).isEqualTo("{\"text\":\"hi\"}");
    assertThat(sent.at("/params/message/metadata/sender/source").asString())
        .isEqualTo("canvas_user");
  }

  @Test
  void learnsThatAnAgentHasBeenReplacedByAnOlderOne() {
    peer.usually(speaking("1.0", -32601, 200));
    Agent agent = called();
    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    peer.usually(speaking("0.3", -32601, 200));

    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-2", "hi")).status())
        .isEqualTo(200);

    assertThat(known(agent)).isEqualTo("0.3");
    assertThat(methods())
        .containsExactly("message/send", "SendMessage", "SendMessage", "message/send");
  }

  @Test
  void passesOnThatAnAgentKnowsNeither() {
    String error = "{\"error\":{\"code\":-32601,\"message\":\"I do not talk\"}}";
    peer.usually(PeerBehavior.answer(200, error));
    Agent agent = called();

    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi")).text())
        .isEqualTo(error);

    assertThat(known(agent)).isEqualTo("-");
    assertThat(methods()).containsExactly("message/send", "SendMessage");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3", "1.0"})
  void sendsAsItIsWhatStatesItsVersion(String version) {
    peer.usually(speaking("1.0", -32601, 200));
    Agent agent = called();

    Answer answer =
        PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"), VERSION, version);

    assertThat(answer.json().at("/error/code").asInt()).isEqualTo(-32601);
    assertThat(methods()).containsExactly("message/send");
    assertThat(known(agent)).isEqualTo("-");
  }

  @Test
  void deliversFromTheQueueInTheAgentsVersion() {
    peer.usually(speaking("1.0", -32601, 200));
    Agent agent =
        CLIENT.create("Later", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    assertThat(queued.status()).isEqualTo(202);

    CLIENT.heartbeat(agent);

    Answer done = awaitEnd(agent, queued);
    assertThat(done.field("state")).isEqualTo("delivered");
    assertThat(done.json().at("/answer/result/parts/0/text").asString()).isEqualTo("yes");
    assertThat(methods()).containsExactly("message/send", "SendMessage");
  }

  @ParameterizedTest
  @ValueSource(strings = {"A2A-Version", "A2A-Extensions", "X-A2A-Extensions"})
  void deliversWhatASenderSaysBesideItsMessageAlsoFromTheQueue(String header) {
    peer.usually(PeerBehavior.answer(422, "{\"error\":\"no\"}"));
    Agent agent = CLIENT.create("Later", "\"delivery_mode\":\"poll\"");
    String body = ProxyClient.message("m-1", "hi").replace("message/send", "SendMessage");
    Answer polled = PROXY.send(agent, ADMIN_TOKEN, body, header, "1.0");
    assertThat(polled.status()).as(polled.text()).isEqualTo(200);

    // the change of the mode queues it
    CLIENT.patch(
        "/workspaces/" + agent.id(),
        ADMIN_TOKEN,
        "{\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"}");
    CLIENT.heartbeat(agent);
    peer.awaitDeliveries(1);
    assertThat(peer.deliveries())
        .hasSize(1)
        .allMatch(one -> "1.0".equals(one.header(header.toLowerCase(Locale.ROOT))));
  }

  @Test
  void deliversThemAgainWhenAnOperatorRetries() {
    peer.usually(PeerBehavior.answer(200, "{\"result\":1}"));
    Agent agent =
        CLIENT.create("Later", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
    String body = ProxyClient.message("m-1", "hi").replace("message/send", "SendMessage");
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, body, VERSION, "1.0");
    SERVER
        .database()
        .execute(
            "UPDATE deliveries SET enqueued_at = now() - interval '2 hours' WHERE workspace_id = '"
                + agent.id()
                + "'");
    assertThat(
            CLIENT
                .post("/admin/a2a-queue/drop-stale?workspace_id=" + agent.id(), ADMIN_TOKEN, "")
                .status())
        .isEqualTo(200);
    assertThat(awaitEnd(agent, queued).field("state")).isEqualTo("dropped");

    Answer again = CLIENT.post("/admin/a2a-queue/" + queueId(queued) + "/retry", ADMIN_TOKEN, "");
    assertThat(again.status()).as(again.text()).isEqualTo(200);
    CLIENT.heartbeat(agent);

    assertThat(peer.awaitDeliveries(1).getFirst().header("a2a-version")).isEqualTo("1.0");
  }

  private static Answer awaitEnd(Agent agent, Answer queued) {
    String path = "/workspaces/" + agent.id() + "/a2a/queue/" + queueId(queued);
    return Awaitility.await()
        .until(
            () -> CLIENT.get(path, ADMIN_TOKEN),
            view -> !List.of("waiting", "delivering").contains(view.field("state")));
  }

  private static String queueId(Answer queued) {
    String task = queued.json().at("/result/task/id").asString("");
    return task.isEmpty() ? queued.field("queue_id") : task;
  }

  @Test
  void passesOnEveryOtherErrorOfTheAgent() {
    peer.usually(PeerBehavior.answer(404, "{\"error\":\"no such skill\"}"));

    Answer answer = PROXY.send(called(), ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    Refusals.assertRefused(answer, 404, "AGENT_HTTP_ERROR");
    assertThat(methods()).containsExactly("message/send");
  }
}
