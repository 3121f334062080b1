package dev.muster.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The exit codes of the agent program, without a process for each. */
@Slow
@Timeout(120)
class ExitCodesTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  private final Agent agent = CLIENT.create("Scripted");

  @TempDir private Path folder;

  @Test
  void exitsWithACodeForTheReason() {
    assertThat(code(Map.of("MUSTER_TOKEN", "wrong"), "connect", "--exec", "true")).isEqualTo(4);
    assertThat(code(Map.of(), "connect")).isEqualTo(2);
    assertThat(code(Map.of(), "dance")).isEqualTo(2);
    assertThat(code(Map.of("MUSTER_WORKSPACE_ID", "7"), "peers")).isEqualTo(2);

    CLIENT.post("/workspaces/" + agent.id() + "/pause", TestServer.ADMIN_TOKEN, "");
    assertThat(code(Map.of(), "connect", "--exec", "true")).isEqualTo(5);

    CLIENT.delete("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN);
    assertThat(code(Map.of(), "connect", "--exec", "true")).isEqualTo(3);
  }

  private int code(Map<String, String> instead, String... args) {
    Map<String, String> environment =
        new HashMap<>(
            Map.of(
                "MUSTER_URL", CLIENT.baseUrl(),
                "MUSTER_WORKSPACE_ID", agent.id().toString(),
                "MUSTER_TOKEN", agent.token(),
                "MUSTER_STATE_DIR", folder.toString()));
    environment.putAll(instead);
    return AgentMain.run(environment, args);
  }
}
