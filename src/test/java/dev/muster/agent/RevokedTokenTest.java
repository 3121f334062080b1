package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.agent.AgentLoop.End;
import dev.muster.testing.Nightly;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** An agent with a revoked token ends, unless it gets another one. */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class RevokedTokenTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Agent agent = AgentServer.CLIENT.create("Revoked");

  @TempDir private Path folder;

  @Test
  void endsWhenItsTokenHasBeenRefusedForAWhile() throws Exception {
    try (AgentLoop loop = loop()) {
      CompletableFuture<End> end = running(loop);
      revokeAllBut("");

      assertThat(end.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(End.REFUSED);
      // its thread has reported the refusal and ends soon
      await().atMost(LIMIT).until(() -> !loop.heartbeat().isRunning());
    }
  }

  /** Also after a while: a successful heartbeat resets the time limit. */
  @Test
  void continuesWithTheNewTokenOfItsFile() throws Exception {
    try (AgentLoop loop = loop()) {
      CompletableFuture<End> end = running(loop);
      for (int i = 0; i < 2; i++) {
        String fresh = minted();
        Files.writeString(folder.resolve("token"), fresh);
        revokeAllBut(fresh);
        for (int heartbeats = 0; heartbeats < 3; heartbeats++) {
          String then = lastHeartbeat();
          await().atMost(LIMIT).until(() -> !lastHeartbeat().equals(then));
        }
      }
      assertThat(end).isNotDone();
    }
  }

  /** The code itself is that of {@code ConnectCommandTest}; this waits for the library's minute. */
  @Nightly
  @Test
  void endsTheProgramWithACodeOfItsOwnAfterAMinute() throws IOException {
    try (AgentProcess program =
        AgentProcess.start(
            AgentProcess.as(agent, folder.resolve("state")), "connect", "--exec", "true")) {
      await().atMost(LIMIT).until(() -> !lastHeartbeat().isEmpty());
      long began = System.nanoTime();
      revokeAllBut("");

      await().atMost(Duration.ofMinutes(3)).until(() -> !program.isAlive());
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(LIMIT);
      assertThat(program.awaitEnd()).isEqualTo(7);
      assertThat(program.err()).contains("its token is revoked");
    }
  }

  private AgentLoop loop() throws IOException {
    Files.writeString(folder.resolve("token"), agent.token());
    AgentClient client =
        AgentClient.builder(AgentServer.CLIENT.baseUrl(), agent.id().toString())
            .tokenFile(folder.resolve("token"))
            .build();
    return AgentLoop.builder(client)
        .registration(Registration.polling("Revoked"))
        .answering((_, _) -> null)
        .longestRefusal(Duration.ofSeconds(3))
        .build();
  }

  private CompletableFuture<End> running(AgentLoop loop) {
    CompletableFuture<End> end =
        CompletableFuture.supplyAsync(loop::run, Thread::startVirtualThread);
    await().atMost(LIMIT).until(() -> AgentServer.status(agent).equals("online"));
    return end;
  }

  private String minted() {
    return AgentServer.CLIENT
        .post("/admin/workspaces/" + agent.id() + "/tokens", TestServer.ADMIN_TOKEN, "{}")
        .field("auth_token");
  }

  private void revokeAllBut(String token) {
    JsonNode tokens =
        AgentServer.CLIENT
            .get("/workspaces/" + agent.id() + "/tokens", TestServer.ADMIN_TOKEN)
            .json()
            .path("tokens");
    for (JsonNode one : tokens) {
      String prefix = one.path("prefix").asString();
      if (token.isEmpty() || !token.startsWith(prefix)) {
        AgentServer.CLIENT.delete(
            "/workspaces/" + agent.id() + "/tokens/" + one.path("id").asString(),
            TestServer.ADMIN_TOKEN);
      }
    }
  }

  private String lastHeartbeat() {
    return AgentServer.CLIENT.read(agent).path("last_heartbeat_at").asString("");
  }
}
