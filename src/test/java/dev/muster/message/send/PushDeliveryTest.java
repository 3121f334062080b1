package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The path of a request to a push agent (R7.4, R7.6, R7.8). */
@Slow
class PushDeliveryTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  @Test
  void forwardsTheAnswerAndStoresItOnTheRow() {
    Agent agent = called("Reviewer");
    String said = " {\"jsonrpc\":\"2.0\", \"id\":1,\"result\":{\"n\":1.50,\"t\":\"\\u0000é\"}}\n";
    peer.then(PeerBehavior.answer(201, said));

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("Content-Type")).startsWith("application/json");
    assertThat(answer.text()).isEqualTo(said);
    String row = onlyRow(agent);
    assertThat(PROXY.row(row, "response_body")).isEqualTo(said);
    assertThat(PROXY.row(row, "concat_ws('|', status, error_detail, duration_ms >= 0)"))
        .isEqualTo("ok|t");
    assertThat(CLIENT.get("/workspaces/" + agent.id() + "/activity/" + row, ADMIN_TOKEN).text())
        .contains("\"response_body\":" + said);
  }

  /** The largest answer that agents may give has 64 MiB (R7.6). */
  @Test
  void keepsALargeAnswer() {
    Agent agent = called("Verbose");
    String said = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "ab\\n".repeat(15 << 20) + "\"}";
    peer.then(PeerBehavior.answer(200, said));

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    assertThat(answer.status()).as(answer.text().substring(0, 100)).isEqualTo(200);
    assertThat(answer.text().length()).isEqualTo(said.length());
    assertThat(PROXY.row(onlyRow(agent), "octet_length(response_body::text)"))
        .isEqualTo(Integer.toString(said.length()));
    // a busy disk may take longer to read it than a request waits
    Answer again = PROXY.patient().send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    assertThat(again.text().length()).isEqualTo(said.length());
  }

  @Test
  void storesTheRowBeforeTheAgentIsCalled() {
    Agent agent = called("row first");
    peer.then(PeerBehavior.silence());
    Thread sender =
        Thread.startVirtualThread(() ->
            PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", "20"));

    peer.awaitDeliveries(1);

    assertThat(PROXY.row(onlyRow(agent), "status || coalesce(response_body::text, '')"))
        .isEqualTo("ok");
    assertThat(sender.isAlive()).isTrue();
    peer.release();
  }

  @Test
  void sendsTheNormalRequestWithItsSenderAndNoCredential() {
    Agent agent = called("Receiver");
    Agent sibling = CLIENT.create("Sender", "\"parent_id\":\"" + agent.id() + "\"");

    PROXY.send(
        agent,
        sibling.token(),
        ProxyClient.message("m", "hi"),
        "X-Timeout",
        "30",
        "A2A-Version",
        "1.0");

    TestPeer.Delivery delivery = peer.awaitDeliveries(1).getFirst();
    assertThat(delivery.text()).isEqualTo(PROXY.row(onlyRow(agent), "request_body"));
    assertThat(delivery.text()).contains("\"sender\":{\"workspace_id\":\"" + sibling.id() + "\"");
    assertThat(delivery.header("x-source-workspace-id")).isEqualTo(sibling.id().toString());
    assertThat(delivery.header("a2a-version")).isEqualTo("1.0");
    assertThat(delivery.header("content-type")).startsWith("application/json");
    assertThat(Double.parseDouble(delivery.header("x-timeout"))).isBetween(20.0, 30.0);
    assertThat(delivery.headers()).doesNotContainKeys("authorization", "cookie", "x-workspace-id");
  }

  @Test
  void forwardsProtocolHeadersUpToAKibibyte() {
    Agent agent = called("Extended");
    String longest = "x".repeat(1024);

    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"), "A2A-Extensions", longest);
    PROXY.send(
        agent, ADMIN_TOKEN, ProxyClient.message("m-2", "hi"), "A2A-Extensions", longest + "x");

    assertThat(peer.awaitDeliveries(2))
        .extracting(delivery -> delivery.headers().get("a2a-extensions"))
        .containsExactly(List.of(longest), null);
  }

  @Test
  void forwardsRequestsOfOtherMethods() {
    Agent agent = called("Tasks");
    String request =
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}";
    peer.usually(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"));

    assertThat(PROXY.send(agent, ADMIN_TOKEN, request).status()).isEqualTo(200);
    assertThat(PROXY.send(agent, ADMIN_TOKEN, request).status()).isEqualTo(200);

    assertThat(peer.deliveries()).extracting(TestPeer.Delivery::text).containsOnly(request);
    assertThat(peer.deliveries()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SendMessage", "message/stream", "SendStreamingMessage"})
  void acceptsTheMethodsOfBothVersions(String method) {
    Agent agent = called("Versions");

    Answer answer =
        PROXY.send(
            agent, ADMIN_TOKEN, ProxyClient.message("m", "hi").replace("message/send", method));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(peer.awaitDeliveries(1).getFirst().text()).contains("\"" + method + "\"");
  }

  @ParameterizedTest
  @CsvSource({
    "400, 400",
    "401, 502",
    "403, 502",
    "404, 404",
    "407, 502",
    "409, 409",
    "429, 429",
    "500, 500",
    "502, 502",
    "503, 503",
    "302, 502"
  })
  void forwardsRefusalsOfTheAgent(int agentStatus, int status) {
    Agent agent = called("Refusing");
    peer.usually(PeerBehavior.answer(agentStatus, Map.of(), "{\"error\":\"not today\"}"));

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.field("code")).isEqualTo("AGENT_HTTP_ERROR");
    assertThat(answer.field("error")).contains("not today");
    assertThat(answer.json().path("agent_status").asInt()).isEqualTo(agentStatus);
    assertThat(peer.deliveries()).hasSize(1);
    assertThat(PROXY.row(onlyRow(agent), "status || error_detail"))
        .startsWith("errorHttpError " + agentStatus + ": not today");
  }

  @Test
  void passesOnTheHeadersOfAnAnswerThatAreForItsSender() {
    Agent agent = called("Explaining");
    Map<String, String> headers =
        Map.of(
            "WWW-Authenticate", "Bearer realm=\"agent\"",
            "Retry-After", "7",
            "A2A-Extensions", "https://example.org/x",
            "X-A2A-Extensions", "https://example.org/y",
            "Set-Cookie", "a=b");
    for (int status : new int[] {200, 401, 503}) {
      peer.then(PeerBehavior.answer(status, headers, "{\"result\":1}"));

      Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m" + status, "hi"));

      assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"agent\"");
      assertThat(answer.header("Retry-After")).isEqualTo("7");
      assertThat(answer.header("A2A-Extensions")).isEqualTo("https://example.org/x");
      assertThat(answer.header("X-A2A-Extensions")).isEqualTo("https://example.org/y");
      assertThat(answer.header("Set-Cookie")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html>busy</html>", "{\"result\":", "{} {}"})
  void reportsAMalformedAnswer(String body) {
    Agent agent = called("Garbling");
    peer.then(PeerBehavior.answer(200, body));

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertRefused(answer, 502, "BAD_AGENT_RESPONSE");
    assertThat(answer.json().path("delivery_confirmed").asBoolean()).isTrue();
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void storesAJsonRpcErrorAsAnAnswer() {
    Agent agent = called("Erring");
    String error =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"no disk\"}}";
    peer.then(PeerBehavior.answer(200, error));

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertThat(answer.text()).isEqualTo(error);
    assertThat(PROXY.row(onlyRow(agent), "status || '|' || error_detail"))
        .startsWith("error|JsonRpcError -32000: no disk");
  }

  @Test
  void reportsAnUnreachableAgent() throws IOException {
    Agent agent = called("Gone");
    peer.close();

    Answer answer =
        PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", "6");

    assertRefused(answer, 503, "AGENT_UNREACHABLE");
    assertThat(answer.json().path("restarting").asBoolean()).isTrue();
    assertThat(answer.json().path("retry_after").asInt()).isEqualTo(15);
    assertThat(answer.header("Retry-After")).isEqualTo("15");
    assertThat(answer.text()).doesNotContain("127.0.0.1").doesNotContain(":" + peer.port());
    assertThat(PROXY.row(onlyRow(agent), "status || '|' || error_detail"))
        .startsWith("error|ConnectRefused")
        .contains("[target=" + agent.id() + "]");
  }

  @Test
  void reportsAnAgentThatStaysBusy() {
    Agent agent = called("Slow");
    peer.usually(PeerBehavior.silence());

    Answer answer =
        PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", "6");

    assertRefused(answer, 504, "AGENT_TIMEOUT");
    assertThat(answer.json().path("busy").asBoolean()).isTrue();
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void countsItsAttemptsByTheirOutcome() {
    Agent agent = called("Counted");
    peer.then(PeerBehavior.closeAfterRequest());

    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertThat(SERVER.metrics())
        .contains("muster_a2a_attempts_total{outcome=\"answered\"}")
        .contains("muster_a2a_attempts_total{outcome=\"closed_without_response\"}");
  }

  @Test
  void continuesADeliveryAfterItsClientDisconnected() throws Exception {
    Agent agent = called("Patient");
    peer.then(PeerBehavior.silence());
    try (var client = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
      String body = ProxyClient.message("m", "hi");
      client
          .getOutputStream()
          .write(
              "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(ProxyClient.path(agent.id()), ADMIN_TOKEN, body.length(), body)
                  .getBytes(StandardCharsets.UTF_8));
      peer.awaitDeliveries(1);
    }
    peer.then(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"late\"}"));

    peer.release();

    Awaitility.await()
        .until(() ->
            PROXY.row(onlyRow(agent), "coalesce(response_body->>'result', '')").equals("late"));
  }

  @Test
  void refusesMessagesToAPausedAgentWithoutARow() {
    Agent agent = called("Paused");
    CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "{}");

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertRefused(answer, 503, "WORKSPACE_PAUSED");
    assertThat(PROXY.rows(agent)).isZero();
    assertThat(peer.connections()).isZero();
  }

  @Test
  void callsNoAddressThatIsNotAllowed() {
    try (TestServer strict = TestServer.startOn(SERVER.database())) {
      Agent agent = called("Local");

      Answer answer =
          new ProxyClient(strict)
              .send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", "5");

      assertRefused(answer, 502, "AGENT_URL_NOT_ALLOWED");
      assertThat(answer.field("error")).contains("loopback").doesNotContain("127.0.0.1");
      assertThat(peer.connections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "NaN", "1e999"})
  void refusesATimeoutThatIsNotNumeric(String timeout) {
    Agent agent = called("Timeouts");

    Answer answer =
        PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", timeout);

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(PROXY.rows(agent)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0, 3600", "-0.0, 3600", "86400, 3600", "1e300, 3600", "3599, 3599"})
  void clampsATimeoutThatIsOutOfRange(String timeout, int most) {
    Agent agent = called("Clamped");

    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", timeout);

    assertThat(Integer.parseInt(peer.deliveries().getFirst().header("x-timeout")))
        .isBetween(most - 60, most);
  }

  @Test
  void waitsAsLongAsTheWorkspaceAllows() {
    Agent agent = called("Short of breath");
    CLIENT.heartbeat(agent, "\"runtime_metadata\":{\"idle_timeout_seconds\":1}");
    peer.then(PeerBehavior.silence())
        .usually(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":2}"));

    Answer answer =
        PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi"), "X-Timeout", "25");

    assertThat(answer.text()).contains("\"result\":2");
    assertThat(peer.deliveries()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(List.copyOf(peer.deliveries()).getFirst().text())
        .isEqualTo(peer.deliveries().getLast().text());
  }

  private Agent called(String name) {
    return CLIENT.createOnline(
        name, "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
  }

  private static String onlyRow(Agent agent) {
    assertThat(PROXY.rows(agent)).isEqualTo(1);
    return StoredRows.id(SERVER.database(), agent.id(), 1);
  }
}
