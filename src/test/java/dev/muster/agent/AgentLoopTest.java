package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.muster.agent.AgentLoop.End;
import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** An agent from its registration until it is stopped, paused or removed (section 13). */
@Slow
@Timeout(60)
class AgentLoopTest {

  private final Agent agent = AgentServer.CLIENT.create("Whole");

  @Test
  void registersSendsHeartbeatsAndAnswers() throws Exception {
    AgentLoop loop = echo(AgentServer.client(agent));
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "hi");

    await().until(() -> AgentServer.notifications(agent).equals(List.of("you said hi")));
    assertThat(AgentServer.status(agent)).isEqualTo("online");

    loop.stop();

    assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(End.STOPPED);
    assertThat(loop.heartbeat().isRunning()).isFalse();
  }

  @Test
  void endsWhenItsWorkspaceIsPaused() throws Exception {
    CompletableFuture<End> end = running();

    AgentServer.CLIENT.post("/workspaces/" + agent.id() + "/pause", TestServer.ADMIN_TOKEN, "");

    assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(End.PAUSED);
    assertThat(echo(AgentServer.client(agent)).run()).isEqualTo(End.PAUSED);
  }

  @Test
  void endsWhenARestartIsRequestedAndNotAgainAfterIt() throws Exception {
    CompletableFuture<End> end = running();

    requestRestart();

    assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(End.RESTART);
    AgentLoop next = echo(AgentServer.client(agent));
    end = CompletableFuture.supplyAsync(next::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "hi");
    await().until(() -> AgentServer.notifications(agent).equals(List.of("you said hi")));
    assertThat(AgentServer.CLIENT.read(agent).has("restart_requested_at")).isFalse();
    next.stop();
    assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(End.STOPPED);
  }

  /** Without a registration its first heartbeats may have the uptime 0 of the agent before it. */
  @Test
  void takesNoRequestForItsOwnThatWasMadeBeforeItBegan() throws Exception {
    AgentServer.CLIENT.heartbeat(agent, "\"uptime_seconds\":0");
    requestRestart();
    AgentLoop loop = AgentLoop.builder(AgentServer.client(agent)).answering((_, _) -> "").build();
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    String then = lastHeartbeat();
    await().until(() -> !lastHeartbeat().equals(then));
    String first = lastHeartbeat();
    await().until(() -> !lastHeartbeat().equals(first));

    assertThat(end).isNotDone();
    requestRestart();
    assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(End.RESTART);
  }

  @Test
  void reportsItsEndWhileAHandlerHangs() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<End> ended = new CompletableFuture<>();
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.polling("Hanging"))
            .answering((_, _) -> {
              goOn.await();
              return null;
            })
            .onEnd(ended::complete)
            .build();
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "hi");
    await().until(() -> AgentServer.CLIENT.read(agent).path("active_tasks").asInt() == 1);

    requestRestart();

    assertThat(ended.get(10, TimeUnit.SECONDS)).isEqualTo(End.RESTART);
    assertThat(end).isNotDone();
    goOn.countDown();
    assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(End.RESTART);
  }

  private void requestRestart() {
    assertThat(
            AgentServer.CLIENT
                .post("/workspaces/" + agent.id() + "/restart", TestServer.ADMIN_TOKEN, "")
                .status())
        .isEqualTo(202);
  }

  @Test
  void endsWhenItsWorkspaceIsRemoved() throws Exception {
    CompletableFuture<End> end = running();

    AgentServer.CLIENT.delete("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN);

    assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(End.REMOVED);
    assertThat(echo(AgentServer.client(agent)).run()).isEqualTo(End.REMOVED);
  }

  @Test
  void reportsThatItsRegistrationIsRefused() {
    AgentClient anonymous =
        AgentClient.builder(AgentServer.CLIENT.baseUrl(), agent.id().toString())
            .token("no-such-token")
            .build();

    assertThatExceptionOfType(MusterException.class)
        .isThrownBy(echo(anonymous)::run)
        .satisfies(e -> {
          assertThat(e.status()).isEqualTo(401);
          assertThat(e.isRefusal()).isTrue();
          assertThat(e.getMessage()).doesNotContain("no-such-token");
        });
  }

  @Test
  void sendsHeartbeatsAndIsBusyDuringAHandler() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.polling("Busy"))
            .answering((_, _) -> {
              goOn.await();
              return null;
            })
            .build();
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "a long one");

    await().until(() -> AgentServer.CLIENT.read(agent).path("active_tasks").asInt() == 1);
    String then = lastHeartbeat();
    await().until(() -> !lastHeartbeat().equals(then));
    assertThat(AgentServer.CLIENT.read(agent).path("current_task").asString())
        .isEqualTo("a long one");

    goOn.countDown();
    await().until(() -> AgentServer.CLIENT.read(agent).path("active_tasks").asInt() == 0);
    loop.stop();
    end.get(20, TimeUnit.SECONDS);
  }

  @Test
  void isDegradedWhenItsHandlerFails() throws Exception {
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.polling("Failing"))
            .handler((_, _) -> {
              throw new IllegalStateException("the model is gone");
            })
            .build();
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "hi");

    await().until(() -> AgentServer.status(agent).equals("degraded"));
    assertThat(AgentServer.CLIENT.read(agent).path("last_sample_error").asString())
        .isEqualTo("the model is gone");
    loop.stop();
    end.get(20, TimeUnit.SECONDS);
  }

  /** Native status: {@code status_mgmt} says that the agent sets its own status. */
  @Test
  void isDegradedOnlyByItsWedgeWithNativeStatus() throws Exception {
    RuntimeWedge wedge = new RuntimeWedge();
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.polling("Native"))
            .wedge(wedge)
            .handler((_, _) -> {
              throw new IllegalStateException("the model is gone");
            })
            .build();
    loop.heartbeat().setCapability("status_mgmt", true);
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    AgentServer.sendFromCanvas(agent, "m-1", "hi");

    await().until(() -> AgentServer.CLIENT.read(agent).path("last_error_rate").asDouble() == 1.0);
    assertThat(AgentServer.status(agent)).isEqualTo("online");

    wedge.mark("SDK init timeout — restart workspace");
    await().until(() -> AgentServer.status(agent).equals("degraded"));
    assertThat(AgentServer.CLIENT.read(agent).path("degraded_reason").asString())
        .isEqualTo("runtime_wedged");
    assertThat(AgentServer.CLIENT.read(agent).path("last_sample_error").asString())
        .isEqualTo("SDK init timeout — restart workspace");

    wedge.clear();
    await().until(() -> AgentServer.status(agent).equals("online"));
    loop.stop();
    end.get(20, TimeUnit.SECONDS);
  }

  @Test
  void continuesAfterAServerOutage() throws Exception {
    try (TcpRelay relay = new TcpRelay(FreePorts.next())) {
      AgentLoop loop = echo(AgentServer.clientAt(relay.port(), agent));
      CompletableFuture<End> end =
          CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
      AgentServer.sendFromCanvas(agent, "m-1", "before");
      relay.heal(AgentServer.SERVER.port());
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> AgentServer.notifications(agent).size() == 1);
      AgentServer.awaitAcknowledged(agent); // so the answer to its notification has arrived as well
      relay.cut();
      AgentServer.sendFromCanvas(agent, "m-2", "after");

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(AgentServer.notifications(agent))
                  .containsExactly("you said before", "you said after"));
      loop.stop();
      end.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void reportsADelegatedTaskThatFailed() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.usually(PeerBehavior.answer(200, "{}"));
      AgentClient client = AgentServer.clientAt(platform.port(), agent);
      HeartbeatLoop heartbeat = HeartbeatLoop.builder(client).build();
      MessageHandler handler =
          new TrackingHandler(
              (_, _) -> {
                throw new IllegalStateException("no such file");
              },
              heartbeat,
              PollDelivery.builder(client).build());
      String row =
          "{\"id\":\"a\",\"source\":\"peer_agent\",\"source_id\":\"b\",\"data\":{\"delegation_id\":\"d/1\"}}";
      InboundMessage task = InboundMessage.ofRow(JsonMapper.shared().readTree(row)).orElseThrow();

      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> handler.handle(task, client));

      TestPeer.Delivery report = platform.awaitDeliveries(1).getFirst();
      assertThat(report.requestLine())
          .startsWith("POST /workspaces/" + agent.id() + "/delegations/d%2F1/update ");
      assertThat(report.text()).isEqualTo("{\"status\":\"failed\",\"error\":\"no such file\"}");
    }
  }

  @Test
  void endsOnce() {
    AgentLoop loop = echo(AgentServer.client(agent));
    loop.stop();

    assertThat(loop.run()).isEqualTo(End.STOPPED);
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(loop::run);
  }

  private CompletableFuture<End> running() {
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(
            echo(AgentServer.client(agent))::run, Thread::startVirtualThread);
    await().until(() -> AgentServer.status(agent).equals("online"));
    return end;
  }

  private String lastHeartbeat() {
    return AgentServer.CLIENT.read(agent).path("last_heartbeat_at").asString("");
  }

  private static AgentLoop echo(AgentClient client) {
    return AgentLoop.builder(client)
        .registration(Registration.polling("Whole"))
        .answering((message, _) -> "you said " + message.text())
        .build();
  }
}
