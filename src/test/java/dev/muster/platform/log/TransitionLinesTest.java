package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Log lines of status transitions (docs/api.md, section 11): one for each of a few, a count for
 * many.
 */
@Slow
class TransitionLinesTest {

  @TempDir private Path home = Path.of("");

  @Test
  void nameTheWorkspaceOfEachTransitionAndDelegationOutcome() throws Exception {
    Map<String, String> settings =
        Map.of("DATABASE_URL", TestDatabases.create().url(), "ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    try (ServerProcess server = ServerProcess.start(home, settings).awaitReady()) {
      TestClient client = server.client();
      Agent agent = client.createOnline("Caller");
      Agent callee = client.createOnline("Callee", "\"parent_id\":\"" + agent.id() + "\"");
      client.heartbeat(agent, "\"runtime_state\":\"wedged\"");
      client.post("/workspaces/" + agent.id() + "/pause?cascade=true", TestServer.ADMIN_TOKEN, "");
      String delegation =
          client
              .post(
                  "/workspaces/" + agent.id() + "/delegate",
                  agent.token(),
                  "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(callee.id()))
              .field("delegation_id");
      assertThat(delegation).isNotEmpty();
      assertThat(
              client
                  .post("/admin/delegations/" + delegation + "/fail", TestServer.ADMIN_TOKEN, "{}")
                  .status())
          .isEqualTo(200);

      String workspace = "workspace " + agent.id() + ": ";
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(server.output())
                  .containsOnlyOnce(workspace + "awaiting_agent -> online (heartbeat)")
                  .containsOnlyOnce(workspace + "online -> degraded (runtime_wedged)")
                  .containsOnlyOnce(workspace + "degraded -> paused")
                  .containsOnlyOnce("workspace " + callee.id() + ": online -> paused")
                  .containsOnlyOnce("delegation " + delegation + " of workspace " + agent.id())
                  .contains("-> failed"));
    }
  }

  @Test
  void areBoundedForManyAtOnce() {
    AtomicLong now = new AtomicLong(7);
    LineBudget lines = new LineBudget(now::get);

    assertThat(List.of(lines.grant(49), lines.grant(3), lines.grant(1_000)))
        .containsExactly(49, 1, 0);
    now.addAndGet(Duration.ofSeconds(10).toNanos() - 1);
    assertThat(lines.grant(1)).isZero();
    now.incrementAndGet();
    assertThat(lines.grant(1_000)).isEqualTo(50);
  }
}
