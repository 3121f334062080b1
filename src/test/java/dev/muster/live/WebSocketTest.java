package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.Race;
import dev.muster.testing.RawHttp;
import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code GET /ws} as a canvas and an agent see it (R10.3, R1.6). */
@Slow
@Timeout(60)
class WebSocketTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private final TestClient client = TestServer.shared().client();

  @Test
  void sendsARecordedEventToTheAdminInTheShapeOfTheContract() {
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      Agent agent = client.create("told");
      JsonNode frame = socket.await(f -> isOf(f, agent) && isA(f, "WORKSPACE_AWAITING_AGENT"));
      assertThat(frame.propertyNames())
          .containsExactly("event", "workspace_id", "timestamp", "payload", "seq");
      assertThat(frame.path("payload").path("name").asString()).isEqualTo("told");
      assertThat(frame.path("timestamp").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
      JsonNode recorded = client.events(agent.id(), "WORKSPACE_AWAITING_AGENT").get(0);
      assertThat(frame.path("seq").asLong()).isEqualTo(recorded.path("seq").asLong());
      assertThat(frame.path("payload")).isEqualTo(recorded.path("payload"));
    }
  }

  @Test
  void sendsHeartbeatsAndChangedTasksWithoutRecordingThem() {
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      Agent agent = client.createOnline("worker");
      client.heartbeat(
          agent, "\"current_task\":\"reviewing\"", "\"active_tasks\":2", "\"uptime_seconds\":7");
      JsonNode task = socket.await(f -> isOf(f, agent) && isA(f, "TASK_UPDATED"));
      assertThat(task.path("payload").toString())
          .isEqualTo("{\"current_task\":\"reviewing\",\"active_tasks\":2}");
      assertThat(task.has("seq")).isFalse();
      JsonNode heartbeat =
          socket.await(f ->
              isOf(f, agent)
                  && isA(f, "WORKSPACE_HEARTBEAT")
                  && f.path("payload").path("uptime_seconds").asLong() == 7);
      assertThat(heartbeat.path("payload").toString())
          .isEqualTo("{\"active_tasks\":2,\"uptime_seconds\":7}");
      client.heartbeat(agent, "\"uptime_seconds\":8");
      socket.await(f ->
          isA(f, "WORKSPACE_HEARTBEAT")
              && isOf(f, agent)
              && f.path("payload").path("uptime_seconds").asLong() == 8);
      client.heartbeat(agent, "\"active_tasks\":5", "\"uptime_seconds\":0");
      JsonNode frame =
          socket.await(f ->
              isOf(f, agent)
                  && isA(f, "WORKSPACE_HEARTBEAT")
                  && f.at("/payload/active_tasks").asInt() == 5);
      assertThat(frame.at("/payload/uptime_seconds").asLong()).isEqualTo(8);
      assertThat(socket.frames().stream().filter(f -> isOf(f, agent) && isA(f, "TASK_UPDATED")))
          .hasSize(1);
      assertThat(client.events(agent.id(), "WORKSPACE_HEARTBEAT")).isEmpty();
    }
  }

  @Test
  void showsAnAgentOnlyWorkspacesItMayTalkTo() {
    Agent lead = client.create("lead");
    String child = "\"parent_id\":\"" + lead.id() + "\"";
    Agent watcher = client.create("watcher", child);
    Agent sibling = client.create("sibling", child);
    Agent nephew = client.create("nephew", "\"parent_id\":\"" + sibling.id() + "\"");
    Agent unrelated = client.create("stranger");
    try (TestSocket socket =
        TestSocket.open(
            client,
            "/ws",
            List.of(
                "Authorization",
                "Bearer " + watcher.token(),
                "X-Workspace-ID",
                watcher.id().toString()),
            List.of())) {
      for (Agent agent : List.of(unrelated, nephew, lead, sibling, watcher)) {
        client.heartbeat(agent);
      }
      // a child that is created during the stream belongs to the family from its first event on
      Agent late = client.create("late", child);
      socket.await(f -> isOf(f, late) && isA(f, "WORKSPACE_AWAITING_AGENT"));
      socket.await(f -> isOf(f, watcher) && isA(f, "WORKSPACE_HEARTBEAT"));
      assertThat(socket.frames().stream().map(f -> f.path("workspace_id").asString()).distinct())
          .containsExactlyInAnyOrder(
              lead.id().toString(),
              sibling.id().toString(),
              watcher.id().toString(),
              late.id().toString());
    }
  }

  @Test
  void sendsTheRemovalOfASibling() {
    Agent lead = client.create("lead");
    String child = "\"parent_id\":\"" + lead.id() + "\"";
    Agent watcher = client.create("watcher", child);
    Agent leaving = client.create("leaving", child);
    try (TestSocket socket = TestSocket.open(client, "/ws", watcher.token())) {
      client.delete("/workspaces/" + leaving.id(), ADMIN_TOKEN);
      socket.await(f -> isOf(f, leaving) && isA(f, "WORKSPACE_REMOVED"));
    }
  }

  @Test
  void followsAWorkspaceThatIsMovedIntoTheFamily() {
    Agent lead = client.create("lead");
    Agent watcher = client.create("watcher", "\"parent_id\":\"" + lead.id() + "\"");
    Agent moving = client.create("moving");
    try (TestSocket socket = TestSocket.open(client, "/ws", watcher.token())) {
      client.patch(
          "/workspaces/" + moving.id(), ADMIN_TOKEN, "{\"parent_id\":\"" + lead.id() + "\"}");
      client.heartbeat(moving);
      socket.await(f -> isOf(f, moving) && isA(f, "WORKSPACE_ONLINE"));
    }
  }

  @Test
  void replaysMissedEventsWithoutGapOrRepeat() {
    Agent agent = client.create("replayed");
    long first = client.events(agent.id(), "WORKSPACE_AWAITING_AGENT").get(0).path("seq").asLong();
    Race.run(6, runner -> move(agent, 1000 * runner + 1000, 100));
    try (TestSocket socket = TestSocket.open(client, "/ws?after=" + first, ADMIN_TOKEN)) {
      client.heartbeat(agent);
      long last =
          socket.await(f -> isOf(f, agent) && isA(f, "WORKSPACE_ONLINE")).path("seq").asLong();
      List<Long> seqs = socket.seqs();
      assertThat(seqs.getFirst()).isEqualTo(first + 1);
      assertThat(seqs).doesNotHaveDuplicates().isSorted();
      assertThat(seqs).contains(last).hasSizeGreaterThanOrEqualTo((int) (last - first));
    }
  }

  @Test
  void reportsANumberThatNeverExistedAndContinuesFromNow() {
    try (TestSocket socket = TestSocket.open(client, "/ws?after=900000000000", ADMIN_TOKEN)) {
      JsonNode gap = socket.await("REPLAY_GAP");
      assertThat(gap.path("payload").path("reason").asString()).isEqualTo("future");
      assertThat(gap.path("payload").path("requested_after").asLong()).isEqualTo(900000000000L);
      Agent agent = client.create("next");
      socket.await(f -> isOf(f, agent));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "-1", "1.5", "99999999999999999999", "%00", "1;DROP"})
  void refusesAPositionThatIsNotANumber(String after) {
    Refusals.assertRefused(
        handshake("/ws?after=" + after, bearer(ADMIN_TOKEN)), 400, "VALIDATION_FAILED");
  }

  @Test
  void acceptsTheTokenInEachPlaceAndEchoesOnlyTheProtocol() {
    String hex = HexFormat.of().formatHex(ADMIN_TOKEN.getBytes(StandardCharsets.UTF_8));
    try (TestSocket plain =
            TestSocket.open(
                client, "/ws", List.of(), List.of("muster-auth." + ADMIN_TOKEN, "muster-ws"));
        TestSocket older =
            TestSocket.open(
                client, "/ws", List.of(), List.of("molecule-ws", "molecule-auth." + hex));
        TestSocket none = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      assertThat(plain.protocol()).isEqualTo("muster-ws");
      assertThat(older.protocol()).isEqualTo("molecule-ws");
      assertThat(none.protocol()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-WebSocket-Protocol: muster-ws",
        "Sec-WebSocket-Protocol: muster-ws, muster-auth.",
        "Sec-WebSocket-Protocol: muster-ws, muster-auth.wrong",
        "Sec-WebSocket-Protocol: molecule-ws, molecule-auth.zz",
        "Sec-WebSocket-Protocol: molecule-ws, molecule-auth.00ff",
        "Sec-WebSocket-Protocol: ,,, ;;; =",
        "Authorization: Bearer wrong",
        "Authorization: Basic YTpi",
        "Authorization: Bearer",
        "X-Nothing: at-all"
      })
  void refusesInvalidCredentialsBeforeTheUpgrade(String header) {
    Refusals.assertRefused(handshake("/ws", header), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesATokenForAnotherWorkspace() {
    Agent agent = client.create("one");
    Refusals.assertRefused(
        handshake("/ws", bearer(agent.token()), "X-Workspace-ID: " + UUID.randomUUID()),
        403,
        "FORBIDDEN");
    Refusals.assertRefused(
        handshake("/ws", bearer(agent.token()), "X-Workspace-ID: me"), 400, "INVALID_ID");
  }

  @Test
  void refusesPagesOfOtherOriginsAndAdmitsItsOwn() {
    String token = "Sec-WebSocket-Protocol: muster-ws, muster-auth." + ADMIN_TOKEN;
    for (String foreign : List.of("https://evil.example", "http://[::", "null", "")) {
      Refusals.assertRefused(
          handshake("/ws", token, "Origin: " + foreign), 403, "ORIGIN_NOT_ALLOWED");
    }
    String own = "http://127.0.0.1:" + TestServer.shared().port();
    TestSocket.open(
            client,
            "/ws",
            List.of("Origin", own),
            List.of("muster-ws", "muster-auth." + ADMIN_TOKEN))
        .close();
  }

  /** Browsers never send one, and some agents of the protocol family send an origin with it. */
  @Test
  void admitsABearerTokenOfAnyOrigin() {
    TestSocket.open(
            client,
            "/ws",
            List.of("Authorization", "Bearer " + ADMIN_TOKEN, "Origin", "https://evil.example"),
            List.of())
        .close();
  }

  @Test
  void refusesAPlainRequest() {
    Refusals.assertRefused(client.get("/ws", ADMIN_TOKEN), 426, "UPGRADE_REQUIRED");
    Refusals.assertRefused(client.get("/ws", null), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesAMalformedHandshake() {
    List<String> upgrade =
        List.of(bearer(ADMIN_TOKEN), "Upgrade: websocket", "Connection: Upgrade");
    for (String rest :
        List.of(
            "X-No: key",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")) {
      List<String> lines = new ArrayList<>(upgrade);
      lines.add(rest);
      Refusals.assertRefused(
          RawHttp.send(TestServer.shared().port(), "GET /ws", lines), 400, "BAD_REQUEST");
    }
  }

  @Test
  void closesWith1008WhenItsTokenIsRevoked() throws Exception {
    Agent agent = client.create("revoked");
    String token =
        client.post("/workspaces/" + agent.id() + "/tokens", agent.token(), "").field("auth_token");
    try (TestSocket socket = TestSocket.open(client, "/ws", token);
        TestSocket other = TestSocket.open(client, "/ws", agent.token())) {
      String id =
          client
              .get("/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN)
              .json()
              .path("tokens")
              .get(1)
              .path("id")
              .asString();
      client.delete("/workspaces/" + agent.id() + "/tokens/" + id, ADMIN_TOKEN);
      assertThat(socket.awaitClose(SOON)).isEqualTo(1008);
      client.heartbeat(agent);
      other.await(f -> isOf(f, agent) && isA(f, "WORKSPACE_ONLINE"));
    }
  }

  @Test
  void closesWith1008WhenItsWorkspaceIsRemoved() throws Exception {
    Agent agent = client.create("gone");
    try (TestSocket socket = TestSocket.open(client, "/ws", agent.token())) {
      client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
      assertThat(socket.awaitClose(SOON)).isEqualTo(1008);
    }
  }

  @Test
  void boundsTheSocketsOfAWorkspaceToFifty() {
    Agent agent = client.create("many");
    Agent other = client.create("other");
    List<TestSocket> open = new ArrayList<>();
    try {
      for (int n = 0; n < 50; n++) {
        open.add(TestSocket.open(client, "/ws", agent.token()));
      }
      String stream = "/workspaces/" + agent.id() + "/events/stream";
      for (TestClient.Answer refused :
          List.of(handshake("/ws", bearer(agent.token())), client.get(stream, agent.token()))) {
        Refusals.assertRefused(refused, 429, "RATE_LIMITED");
        assertThat(refused.header("Retry-After")).isEqualTo("5");
      }
      open.add(TestSocket.open(client, "/ws", other.token()));
      open.add(TestSocket.open(client, "/ws", ADMIN_TOKEN));
      open.getFirst().hangUp();
      open.add(
          Awaitility.await()
              .atMost(Duration.ofSeconds(20))
              .ignoreExceptionsInstanceOf(TestSocket.Refused.class)
              .until(() -> TestSocket.open(client, "/ws", agent.token()), Objects::nonNull));
    } finally {
      open.forEach(TestSocket::close);
    }
  }

  @Test
  void closesWith1009OnAMessageThatIsTooLargeAndIgnoresSmallOnes() throws Exception {
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      socket.send("{\"what\":\"nobody asked\"}");
      Agent agent = client.create("after");
      socket.await(f -> isOf(f, agent));
      socket.send("x".repeat(4_000));
      socket.send("x".repeat(5_000));
      assertThat(socket.awaitClose(SOON)).isEqualTo(1009);
    }
  }

  @Test
  void toleratesAClientThatPingsSeveralTimesASecond() {
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      for (int i = 0; i < 50; i++) {
        socket.ping();
      }
      Agent agent = client.create("after");
      socket.await(f -> isOf(f, agent));
    }
  }

  /**
   * One byte is the type of the frame; the next says that it is masked and empty; then the mask.
   */
  @ParameterizedTest
  @ValueSource(strings = {"81", "82", "89", "8a", "01 then 00"})
  void endsAClientThatSendsManyFramesAndDoesNotRead(String frames) throws Exception {
    List<Integer> types =
        Arrays.stream(frames.split(" then ", -1)).map(HexFormat::fromHexDigits).toList();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setSoTimeout(20_000);
      socket
          .getOutputStream()
          .write(
              """
              GET /ws HTTP/1.1
              Host: 127.0.0.1
              Authorization: Bearer %s
              Connection: Upgrade
              Upgrade: websocket
              Sec-WebSocket-Version: 13
              Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

              """
                  .formatted(ADMIN_TOKEN)
                  .replace("\n", "\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 101");
      byte[] block = new byte[60_000];
      for (int at = 0; at < block.length; at += 6) {
        block[at] = (byte) types.get(at == 0 ? 0 : types.size() - 1).intValue();
        block[at + 1] = (byte) 0x80;
      }
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  socket.getOutputStream().write(block);
                  block[0] = block[6];
                }
              })
          .isInstanceOf(SocketException.class);
    }
  }

  @Test
  void closesWith1008OnTooManyFrames() throws Exception {
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      for (int i = 0; i < 101; i++) {
        socket.send("");
      }
      assertThat(socket.awaitClose(SOON)).isEqualTo(1008);
    }
  }

  @Test
  void cannotBeOpenedByTheAgentOfARemovedWorkspace() {
    Agent agent = client.create("former");
    client.heartbeat(agent);
    client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    assertThatThrownBy(() -> TestSocket.open(client, "/ws", agent.token()))
        .isInstanceOfSatisfying(
            TestSocket.Refused.class, refused -> assertThat(refused.status()).isEqualTo(401));
  }

  private boolean move(Agent agent, int from, int times) {
    for (int x = from; x < from + times; x++) {
      String path = "/workspaces/" + agent.id();
      assertThat(client.patch(path, agent.token(), "{\"x\":" + x + "}").status()).isEqualTo(200);
    }
    return true;
  }

  private static TestClient.Answer handshake(String path, String... headers) {
    List<String> lines = new ArrayList<>(List.of(headers));
    lines.addAll(
        List.of(
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
    return RawHttp.send(TestServer.shared().port(), "GET " + path, lines);
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token;
  }

  private static boolean isOf(JsonNode frame, Agent agent) {
    return frame.path("workspace_id").asString("").equals(agent.id().toString());
  }

  private static boolean isA(JsonNode frame, String event) {
    return frame.path("event").asString().equals(event);
  }

  private int port() {
    return URI.create(client.baseUrl()).getPort();
  }
}
