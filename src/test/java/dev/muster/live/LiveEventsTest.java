package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventLog;
import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.event.LiveEvents;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Each subscriber gets every live event once and in order, or its stream ends (R10.4). */
@Slow
@Timeout(60)
class LiveEventsTest {

  private static final Instant AT = Instant.parse("2026-11-21T20:00:00.123456Z");
  private static final int LARGE = 300_000;

  /** More than the buffer of live events holds. */
  private static final int MANY_LARGE_ONES = 140;

  /** Has no subscribers but those of one test. */
  private static final TestServer OWN = TestServer.start();

  private final TestServer server = TestServer.shared();
  private final TestClient client = server.client();
  private final LiveEvents events = server.bean(LiveEvents.class);

  @AfterAll
  static void close() {
    OWN.close();
  }

  @Test
  void haveTheAgreedShapeAndNoNumber() throws Exception {
    UUID workspaceId = UUID.randomUUID();
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN);
        TestEventStream stream = TestEventStream.open(client, "/events/stream", ADMIN_TOKEN)) {
      events.publish(
          List.of(new LiveEvent(Kind.AGENT_MESSAGE, workspaceId, AT, Map.of("message", "hi\n"))));
      assertThat(socket.await(f -> isOf(f, workspaceId)).toString())
          .isEqualTo(
              "{\"event\":\"AGENT_MESSAGE\",\"workspace_id\":\""
                  + workspaceId
                  + "\",\"timestamp\":\"2026-11-21T20:00:00.123456Z\","
                  + "\"payload\":{\"message\":\"hi\\n\"}}");
      TestEventStream.Event sent = stream.await(e -> isOf(e.data(), workspaceId));
      assertThat(sent.id()).isNull();
      assertThat(sent.data().toString())
          .isEqualTo(
              "{\"type\":\"AGENT_MESSAGE\",\"timestamp\":"
                  + AT.toEpochMilli()
                  + ",\"data\":{\"message\":\"hi\\n\"},\"workspace_id\":\""
                  + workspaceId
                  + "\"}");
    }
  }

  @Test
  void arriveOnceAndInOrderFromConcurrentPublishers() throws Exception {
    int publishers = 8;
    int batches = 40;
    int inABatch = 5;
    List<UUID> workspaces =
        IntStream.range(0, publishers).mapToObj(i -> UUID.randomUUID()).toList();
    try (TestSocket socket = TestSocket.open(client, "/ws", ADMIN_TOKEN);
        TestEventStream stream = TestEventStream.open(client, "/events/stream", ADMIN_TOKEN)) {
      Race.run(
          publishers,
          runner -> {
            for (int batch = 0; batch < batches; batch++) {
              events.publish(
                  IntStream.range(batch * inABatch, (batch + 1) * inABatch)
                      .mapToObj(n -> logged(workspaces.get(runner), n))
                      .toList());
            }
            return runner;
          });
      List<Integer> all = IntStream.range(0, batches * inABatch).boxed().toList();
      for (UUID workspace : workspaces) {
        Awaitility.await()
            .untilAsserted(
                () -> assertThat(numbers(socket.frames(), workspace, "payload")).isEqualTo(all));
        Awaitility.await()
            .untilAsserted(
                () -> assertThat(numbers(data(stream), workspace, "data")).isEqualTo(all));
      }
    }
  }

  @Test
  void beginForAStreamWhenItIsOpened() {
    UUID workspace = UUID.randomUUID();
    try (TestSocket before = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
      events.publish(List.of(logged(workspace, 0)));
      before.await(f -> isOf(f, workspace));
      try (TestSocket late = TestSocket.open(client, "/ws?after=0", ADMIN_TOKEN)) {
        events.publish(List.of(logged(workspace, 1)));
        late.await(f -> isOf(f, workspace));
        assertThat(numbers(late.frames(), workspace, "payload")).containsExactly(1);
      }
    }
  }

  @Test
  void showAnAgentOnlyItsOwnEvents() throws Exception {
    Agent lead = client.create("lead");
    String child = "\"parent_id\":\"" + lead.id() + "\"";
    Agent watcher = client.create("watcher", child);
    Agent sibling = client.create("sibling", child);
    Agent nephew = client.create("nephew", "\"parent_id\":\"" + sibling.id() + "\"");
    Agent unrelated = client.create("stranger");
    // publishes what was recorded so far, and waits until the server's streams begin after it
    long newest = client.get("/events?limit=1", ADMIN_TOKEN).json().path(0).path("seq").asLong();
    assertThat(TestServer.shared().bean(EventLog.class).hasReached(newest)).isTrue();
    try (TestSocket socket = TestSocket.open(client, "/ws", watcher.token());
        TestEventStream own =
            TestEventStream.open(
                client, "/workspaces/" + watcher.id() + "/events/stream", watcher.token())) {
      events.publish(
          List.of(
              logged(unrelated.id(), 1),
              logged(nephew.id(), 2),
              logged(lead.id(), 3),
              logged(sibling.id(), 4),
              logged(watcher.id(), 5)));
      // the watcher's own creation may come late
      socket.await(f -> f.path("payload").path("n").asInt() == 5);
      assertThat(socket.frames().stream().map(LiveEventsTest::workspace))
          .containsOnly(watcher.id().toString());
      assertThat(numbers(socket.frames())).containsExactly(5);
      own.await("ACTIVITY_LOGGED");
      assertThat(data(own).stream().map(LiveEventsTest::workspace))
          .containsOnly(watcher.id().toString());
      assertThat(numbers(data(own))).containsExactly(5);
    }
  }

  @Test
  void endTheStreamOfASlowReaderAndReachAFastReaderWhenTheBufferOverflows() throws Exception {
    try (Socket idle = new Socket();
        Socket idleStream = new Socket();
        TestSocket reader = TestSocket.open(OWN.client(), "/ws", ADMIN_TOKEN)) {
      Backlog.open(idle, OWN.port(), "/ws", ADMIN_TOKEN);
      openIdleStream(idleStream, OWN.port());
      Awaitility.await().until(() -> open(OWN.client()) == 3);
      LiveEvents ofOwn = OWN.bean(LiveEvents.class);
      UUID workspace = UUID.randomUUID();
      for (int n = 0; n < MANY_LARGE_ONES; n++) {
        ofOwn.publish(List.of(large(workspace, n)));
        int last = n;
        // the reader is not behind
        reader.await(f -> f.path("payload").path("n").asInt() >= last - 20);
      }
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(numbers(reader.frames(), workspace, "payload"))
                  .isEqualTo(IntStream.range(0, MANY_LARGE_ONES).boxed().toList()));
      // it reads only now; missed events must not be skipped silently
      Backlog backlog = Backlog.read(idle);
      assertThat(backlog.closeCode()).isEqualTo(1013);
      List<Integer> got = numbers(backlog.frames(), workspace, "payload");
      assertThat(got).isNotEmpty().hasSizeLessThan(MANY_LARGE_ONES);
      assertThat(got).isEqualTo(IntStream.range(0, got.size()).boxed().toList());
      Awaitility.await().until(() -> open(OWN.client()) == 1);
    }
  }

  @Test
  void costNothingWithoutSubscribers() throws Exception {
    LiveEvents ofOwn = OWN.bean(LiveEvents.class);
    UUID workspace = UUID.randomUUID();
    Awaitility.await().until(() -> !ofOwn.isWatched());
    long before = ofOwn.newest();
    ofOwn.publish(List.of(logged(workspace, 0)));
    assertThat(ofOwn.newest()).isEqualTo(before);
    List<Boolean> watchedAtBeginning = new CopyOnWriteArrayList<>();
    ofOwn.beforeWatched(() -> watchedAtBeginning.add(ofOwn.isWatched()));
    try (TestSocket socket = TestSocket.open(OWN.client(), "/ws", ADMIN_TOKEN);
        TestSocket second = TestSocket.open(OWN.client(), "/ws", ADMIN_TOKEN)) {
      assertThat(watchedAtBeginning).containsExactly(false);
      ofOwn.publish(List.of(logged(workspace, 1)));
      socket.await(f -> isOf(f, workspace));
      second.await(f -> isOf(f, workspace));
      assertThat(numbers(socket.frames(), workspace, "payload")).containsExactly(1);
    }
    Awaitility.await().until(() -> !ofOwn.isWatched());
    assertThat(ofOwn.isOverrun(before)).as("nothing is kept").isTrue();
    TestSocket.open(OWN.client(), "/ws", ADMIN_TOKEN).close();
    assertThat(watchedAtBeginning).containsExactly(false, false);
  }

  private static void openIdleStream(Socket socket, int port) throws IOException {
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    String request =
        "GET /events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ADMIN_TOKEN;
    socket.getOutputStream().write((request + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static LiveEvent logged(UUID workspaceId, int n) {
    return new LiveEvent(Kind.ACTIVITY_LOGGED, workspaceId, AT, Map.of("n", n));
  }

  private static LiveEvent large(UUID workspaceId, int n) {
    return new LiveEvent(
        Kind.AGENT_MESSAGE, workspaceId, AT, Map.of("n", n, "message", "x".repeat(LARGE)));
  }

  private static double open(TestClient client) {
    return client
        .get("/metrics", null)
        .text()
        .lines()
        .filter(line -> line.startsWith("muster_streams{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  private static List<JsonNode> data(TestEventStream stream) {
    return stream.events().stream().map(TestEventStream.Event::data).toList();
  }

  private static List<Integer> numbers(List<JsonNode> frame, UUID workspaceId, String payload) {
    return frame.stream()
        .filter(one -> isOf(one, workspaceId))
        .map(one -> one.path(payload).path("n").asInt())
        .toList();
  }

  /** The numbers of all events that have one. */
  private static List<Integer> numbers(List<JsonNode> frames) {
    return frames.stream()
        .flatMap(one -> one.findValues("n").stream())
        .map(JsonNode::asInt)
        .toList();
  }

  private static boolean isOf(JsonNode frame, UUID workspaceId) {
    return workspace(frame).equals(workspaceId.toString());
  }

  private static String workspace(JsonNode frame) {
    return frame.path("workspace_id").asString("");
  }
}
