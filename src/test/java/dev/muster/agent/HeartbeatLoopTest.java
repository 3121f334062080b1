package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The content and the timing of an agent's heartbeats (section 13, seed 000). */
@Slow
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class HeartbeatLoopTest {

  private static final String ANSWER =
      "{\"status\":\"ok\",\"workspace_status\":\"online\",\"heartbeat_interval_s\":1,"
          + "\"stale_after_s\":1,\"long_poll_max_s\":60}";

  private final RuntimeWedge wedge = new RuntimeWedge();
  private final CopyOnWriteArrayList<AutoCloseable> open = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  @Test
  void showsAWedgeWithItsReasonAndItsEnd() {
    Agent agent = AgentServer.CLIENT.create("Wedged");
    start(AgentServer.client(agent), new HeartbeatListener() {});
    await().until(() -> AgentServer.status(agent).equals("online"));

    wedge.mark("SDK init timeout — restart workspace");

    await().until(() -> AgentServer.status(agent).equals("degraded"));
    JsonNode read = AgentServer.CLIENT.read(agent);
    assertThat(read.path("degraded_reason").asString()).isEqualTo("runtime_wedged");
    assertThat(read.path("last_sample_error").asString())
        .isEqualTo("SDK init timeout — restart workspace");

    wedge.clear();

    await().until(() -> AgentServer.status(agent).equals("online"));
    assertThat(AgentServer.CLIENT.events(agent.id(), "WORKSPACE_DEGRADED")).hasSize(1);
  }

  @Test
  void sendsNeitherStateNorSampleWhenHealthy() throws IOException {
    TestPeer platform = platform();
    start(to(platform), new HeartbeatListener() {});

    JsonNode heartbeat = heartbeats(platform, 1).getFirst();

    assertThat(heartbeat.has("runtime_state")).isFalse();
    assertThat(heartbeat.has("sample_error")).isFalse();
    assertThat(heartbeat.has("error_rate")).isFalse();
    assertThat(heartbeat.path("uptime_seconds").isIntegralNumber()).isTrue();
  }

  @Test
  void sendsTheGivenState() throws IOException {
    TestPeer platform = platform();
    HeartbeatLoop loop = loop(to(platform), new HeartbeatListener() {});
    loop.setActiveTasks(2);
    loop.setCurrentTask("reviewing #42");
    loop.setDelegations(List.of("d-1"));
    loop.setCapability("status_mgmt", true);
    loop.setIdleTimeout(Duration.ofSeconds(90));
    loop.start();

    JsonNode heartbeat = heartbeats(platform, 1).getFirst();

    assertThat(heartbeat.path("active_tasks").asInt()).isEqualTo(2);
    assertThat(heartbeat.path("current_task").asString()).isEqualTo("reviewing #42");
    assertThat(heartbeat.path("delegations").toString()).isEqualTo("[\"d-1\"]");
    assertThat(heartbeat.path("runtime_metadata").toString())
        .isEqualTo("{\"capabilities\":{\"status_mgmt\":true},\"idle_timeout_seconds\":90}");
  }

  @Test
  void keepsItsErrorsUntilAHeartbeatSucceeds() throws IOException {
    TestPeer platform = platform();
    platform.then(PeerBehavior.answer(503, "{}"), PeerBehavior.resetAfterRequest());
    HeartbeatLoop loop = loop(to(platform), new HeartbeatListener() {});
    loop.recordFailure("tool broke");
    loop.recordSuccess();
    loop.start();

    List<JsonNode> heartbeats = heartbeats(platform, 4);

    assertThat(heartbeats.subList(0, 3))
        .allSatisfy(heartbeat -> {
          assertThat(heartbeat.path("error_rate").asDouble()).isEqualTo(0.5);
          assertThat(heartbeat.path("sample_error").asString()).isEqualTo("tool broke");
        });
    assertThat(heartbeats.get(3).has("error_rate")).isFalse();
  }

  @Test
  void losesNoErrorRecordedDuringAHeartbeat() throws IOException {
    TestPeer platform = platform();
    CountDownLatch recorded = new CountDownLatch(1);
    CountDownLatch came = new CountDownLatch(1);
    platform.then(exchange -> {
      exchange.receive();
      came.countDown();
      awaitLatch(recorded);
      exchange.answer(200, Map.of(), ANSWER.getBytes(StandardCharsets.UTF_8));
      return true;
    });
    HeartbeatLoop loop = loop(to(platform), new HeartbeatListener() {});
    loop.recordSuccess();
    loop.start();
    awaitLatch(came);
    loop.recordFailure("during the heartbeat");
    recorded.countDown();

    List<JsonNode> heartbeats = heartbeats(platform, 2);

    assertThat(heartbeats.get(0).path("error_rate").asDouble()).isZero();
    assertThat(heartbeats.get(1).path("error_rate").asDouble()).isEqualTo(1.0);
    assertThat(heartbeats.get(1).path("sample_error").asString()).isEqualTo("during the heartbeat");
  }

  static Stream<PeerBehavior> faults() {
    return Stream.of(
        PeerBehavior.closeAtOnce(),
        PeerBehavior.resetAtOnce(),
        PeerBehavior.resetAfterRequest(),
        PeerBehavior.halfBody(),
        PeerBehavior.halfHead(),
        PeerBehavior.garbage(),
        PeerBehavior.answer(500, "<html>"),
        PeerBehavior.answer(200, "no json"),
        PeerBehavior.answer(503, Map.of("Retry-After", "0"), "{}"),
        PeerBehavior.answer(401, "{\"code\":\"UNAUTHENTICATED\"}"),
        PeerBehavior.answer(404, "{\"code\":\"WORKSPACE_NOT_FOUND\"}"),
        PeerBehavior.answer(302, Map.of("Location", "http://127.0.0.1:1/"), ""));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void continuesAfterAFault(PeerBehavior trouble) throws IOException {
    TestPeer platform = platform();
    platform.then(PeerBehavior.answer(200, ANSWER), trouble, trouble);
    AtomicInteger missed = new AtomicInteger();
    CountDownLatch accepted = new CountDownLatch(2);
    start(
        to(platform),
        new HeartbeatListener() {
          @Override
          public void missed(Exception why) {
            missed.incrementAndGet();
          }

          @Override
          public void accepted(String workspaceStatus) {
            accepted.countDown();
          }
        });

    awaitLatch(accepted);
    // how many depends on the connection that each fault meets
    assertThat(missed).hasPositiveValue();
  }

  @Test
  void continuesWhenTheServerIsReachableAgain() throws IOException {
    Agent agent = AgentServer.CLIENT.create("Cut off");
    TcpRelay relay = opened(new TcpRelay(FreePorts.next()));
    AtomicInteger missed = new AtomicInteger();
    start(
        AgentServer.clientAt(relay.port(), agent),
        new HeartbeatListener() {
          @Override
          public void missed(Exception why) {
            missed.incrementAndGet();
          }
        });
    await().until(() -> missed.get() >= 1);

    relay.heal(AgentServer.SERVER.port());

    await().until(() -> AgentServer.status(agent).equals("online"));
  }

  @Test
  void isNotEndedByAListenerThatThrows() throws IOException {
    TestPeer platform = platform();
    start(
        to(platform),
        new HeartbeatListener() {
          @Override
          public void accepted(String workspaceStatus) {
            throw new AssertionError("planted");
          }
        });

    assertThat(heartbeats(platform, 3)).hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void endsWhenTheWorkspaceIsRemovedAndReportsWhy() throws Exception {
    Agent agent = AgentServer.CLIENT.create("Doomed");
    CompletableFuture<String> removed = new CompletableFuture<>();
    HeartbeatLoop loop =
        start(
            AgentServer.client(agent),
            new HeartbeatListener() {
              @Override
              public void removed(String reason) {
                removed.complete(reason);
              }
            });
    await().until(() -> AgentServer.status(agent).equals("online"));

    AgentServer.CLIENT.delete("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN);

    assertThat(removed.get(10, TimeUnit.SECONDS)).contains("410", "WORKSPACE_REMOVED");
    await().until(() -> !loop.isRunning());
  }

  @Test
  void endsWhenTheWorkspaceIsDeleted() throws IOException {
    TestPeer platform = platform();
    platform.usually(PeerBehavior.answer(404, "{\"status\":\"removed\",\"deleted\":true}"));

    HeartbeatLoop loop = start(to(platform), new HeartbeatListener() {});

    await().until(() -> !loop.isRunning());
  }

  @Test
  void sendsAtMostOneExtraHeartbeatForManyRequests() throws IOException {
    TestPeer platform = platform();
    String rarely = ANSWER.replace("interval_s\":1", "interval_s\":3600");
    platform
        .then(PeerBehavior.answer(200, ANSWER))
        .usually(PeerBehavior.answer(200, rarely.replace("after_s\":1", "after_s\":180")));
    HeartbeatLoop loop =
        HeartbeatLoop.builder(to(platform)).wedge(wedge).leastGap(Duration.ofMinutes(5)).build();
    open.add(loop);
    loop.start();
    heartbeats(platform, 1);
    for (int i = 0; i < 10_000; i++) {
      loop.heartbeatNow();
    }

    heartbeats(platform, 2); // the regular one, a second later
    assertThat(platform.deliveries()).hasSize(2);
  }

  @Test
  void endsAtOnceDuringAHeartbeat() throws IOException {
    TestPeer platform = platform();
    platform.usually(PeerBehavior.silence());
    HeartbeatLoop loop = start(to(platform), new HeartbeatListener() {});
    heartbeats(platform, 1);

    loop.stop();

    await().atMost(Duration.ofSeconds(5)).until(() -> !loop.isRunning());
  }

  private TestPeer platform() throws IOException {
    return opened(TestPeer.start()).usually(PeerBehavior.answer(200, ANSWER));
  }

  private <T extends AutoCloseable> T opened(T one) {
    open.add(one);
    return one;
  }

  private static AgentClient to(TestPeer platform) {
    return AgentServer.clientAt(platform.port(), new Agent(new UUID(1, 2), "a-token"));
  }

  private HeartbeatLoop start(AgentClient client, HeartbeatListener listener) {
    HeartbeatLoop loop = loop(client, listener);
    loop.start();
    return loop;
  }

  private HeartbeatLoop loop(AgentClient client, HeartbeatListener listener) {
    return opened(
        HeartbeatLoop.builder(client)
            .wedge(wedge)
            .listener(listener)
            .leastGap(Duration.ofMillis(10))
            .build());
  }

  private static List<JsonNode> heartbeats(TestPeer platform, int count) {
    return platform.awaitDeliveries(count).stream()
        .map(delivery -> JsonMapper.shared().readTree(delivery.body()))
        .toList();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
