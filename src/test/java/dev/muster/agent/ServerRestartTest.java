package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The server is killed and restarted while an agent works: the agent continues its heartbeats, and
 * handles every message once.
 */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class ServerRestartTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MESSAGES = 40;

  @TempDir private Path folder;

  private static final String SETTING = "HEARTBEAT_INTERVAL_S=1";

  private final TestDatabase database = TestDatabases.create();
  private final List<String> handled = new CopyOnWriteArrayList<>();

  @Test
  void losesNoMessageAndRepeatsNone() throws Exception {
    try (ServerProcess first =
            ServerProcess.start(folder, ServerProcess.settings(database.url(), SETTING))
                .awaitReady();
        TcpRelay relay = new TcpRelay(port(first))) {
      Agent agent = first.client().create("Faithful");
      AgentLoop loop = loop(relay, agent);
      Thread running = loop.start();
      await().atMost(LIMIT).until(() -> heartbeat(first.client(), agent).length() > 0);
      send(first.client(), agent, 0, MESSAGES / 2);

      await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(() -> !handled.isEmpty());
      first.kill();
      relay.cut();

      try (TestServer second = TestServer.startOn(database, SETTING)) {
        String before = heartbeat(second.client(), agent);
        relay.heal(second.port());
        send(second.client(), agent, MESSAGES / 2, MESSAGES);

        await().atMost(LIMIT).until(() -> handled.contains("m-" + (MESSAGES - 1)));
        await().atMost(LIMIT).until(() -> !heartbeat(second.client(), agent).equals(before));
        assertThat(handled)
            .containsExactlyElementsOf(
                IntStream.range(0, MESSAGES).mapToObj(i -> "m-" + i).toList());
        assertThat(running.isAlive()).isTrue();
        loop.stop();
        assertThat(running.join(Duration.ofSeconds(10))).isTrue();
      }
    }
  }

  private AgentLoop loop(TcpRelay relay, Agent agent) {
    AgentClient client = AgentServer.clientAt(relay.port(), agent);
    return AgentLoop.builder(client)
        .registration(Registration.polling("Faithful"))
        .delivery(PollDelivery.builder(client).cursorFile(folder.resolve("cursor")).build())
        .answering((message, _) -> {
          handled.add(message.messageId());
          return "got " + message.messageId();
        })
        .build();
  }

  private static int port(ServerProcess server) {
    String url = server.client().baseUrl();
    return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
  }

  private static void send(TestClient platform, Agent to, int from, int until) {
    for (int i = from; i < until; i++) {
      int status =
          platform
              .post(
                  "/workspaces/" + to.id() + "/a2a",
                  TestServer.ADMIN_TOKEN,
                  "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-%d\",\"content\":\"hi\"}}}"
                      .formatted(i))
              .status();
      assertThat(status).isEqualTo(200);
    }
  }

  private static String heartbeat(TestClient platform, Agent agent) {
    return platform
        .get("/workspaces/" + agent.id(), agent.token())
        .json()
        .path("last_heartbeat_at")
        .asString("");
  }
}
