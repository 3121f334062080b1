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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The exit codes and the usage of the agent program, without a process for each. */
@Slow
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
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

  @Test
  void saysWhereATokenIsGiven(CapturedOutput output) {
    assertThat(code(Map.of("MUSTER_TOKEN", "wrong"), "peers")).isEqualTo(4);
    assertThat(output.getAll()).contains("; the token is that of MUSTER_TOKEN, --token or");
  }

  @Test
  void printsItsUsage(CapturedOutput output) {
    assertThat(code(Map.of(), "--help")).isZero();
    assertThat(output.getOut())
        .contains("connect", "send", "delegate", "notify", "peers", "MUSTER_URL")
        .contains("not admitted", "the workspace is removed", "the workspace is paused");
  }

  @ParameterizedTest
  @ValueSource(strings = {"connect", "send", "delegate", "notify", "peers"})
  void printsItsVersion(String command, CapturedOutput output) {
    assertThat(code(Map.of(), command, "--version")).isZero();
    assertThat(output.getOut()).contains("muster-agent ");
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
