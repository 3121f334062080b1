package dev.muster.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.agent.AgentLoop;
import dev.muster.testing.OwnLog;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each end of an agent has an exit code and a sentence of its own. */
class ConnectCommandTest {

  @ParameterizedTest
  @CsvSource({
    "STOPPED, 0, it was stopped",
    "REMOVED, 3, its workspace is removed",
    "PAUSED, 5, its workspace is paused",
    "REFUSED, 7, its token is revoked",
    "RESTART, 75, a restart was requested",
  })
  void endsWithACodeForTheReason(AgentLoop.End end, int code, String reason) {
    // a server that starts at the same time switches the log off for a moment
    List<String> log =
        Awaitility.await()
            .until(
                () ->
                    OwnLog.of(
                        ConnectCommand.class,
                        () -> assertThat(ConnectCommand.code(end)).isEqualTo(code)),
                lines -> !lines.isEmpty());
    assertThat(log).singleElement().asString().contains("the agent ends: " + reason);
  }
}
