package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that a command awaits is not passed to the command of {@code connect} as well. */
@Execution(ExecutionMode.CONCURRENT)
@Slow
@Timeout(180)
class WaitedAnswersTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Agent boss = AgentServer.CLIENT.create("Boss");
  private final Agent clerk =
      AgentServer.CLIENT.create("Clerk", "\"parent_id\":\"" + boss.id() + "\"");

  @TempDir private Path folder;

  /** Otherwise it would send another question for each answer, without end. */
  @ParameterizedTest
  @ValueSource(strings = {"send", "delegate"})
  void runsACommandThatSendsAndWaitsOnce(String how) throws IOException {
    String program =
        AgentProcess.program().stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    AgentServer.sendFromCanvas(boss, "m-1", "hi");
    try (AgentLoop _ = clerkAnswering();
        AgentProcess connect =
            connect(note() + "; " + program + " " + how + " --to Clerk --wait 50 work")) {
      await().atMost(LIMIT).until(() -> !AgentServer.notifications(boss).isEmpty());
      settle();

      assertThat(AgentServer.notifications(boss)).containsExactly("did work");
      assertThat(runs()).hasSize(1);
      assertThat(connect.err()).contains("is an awaited answer");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gives up", "is killed"})
  void deliversTheAnswerWhenTheWaitingCommand(String gone) throws IOException {
    boolean killed = gone.equals("is killed");
    try (AgentProcess _ = connect(note());
        AgentProcess asking =
            AgentProcess.start(
                AgentProcess.as(boss, folder.resolve("state")),
                "delegate",
                "--to",
                clerk.id().toString(),
                "--wait",
                killed ? "100" : "1",
                "work")) {
      Path waits = folder.resolve("state").resolve("waits");
      if (killed) {
        await().atMost(LIMIT).until(() -> Files.isDirectory(waits) && count(waits) == 2);
        asking.kill();
      } else {
        assertThat(asking.awaitEnd()).isEqualTo(6);
      }
      try (AgentLoop _ = clerkAnswering()) {
        await().atMost(LIMIT).until(() -> runs().size() == 1);
        assertThat(runs().getFirst()).contains("did work");
      }
      assertThat(count(waits)).isEqualTo(1);
    }
  }

  @Test
  void deliversAnAnswerThatNoCommandAwaits() throws IOException {
    try (AgentLoop _ = clerkAnswering();
        AgentProcess _ = connect(note())) {
      AgentServer.client(boss).delegate(clerk.id().toString(), "work");

      await().atMost(LIMIT).until(() -> runs().size() == 1);
    }
  }

  private AgentLoop clerkAnswering() {
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(clerk))
            .registration(Registration.polling("Clerk"))
            .answering((message, _) -> "did " + message.text())
            .build();
    loop.start();
    return loop;
  }

  private String note() {
    return "cat >> " + folder.resolve("runs");
  }

  private List<String> runs() throws IOException {
    Path file = folder.resolve("runs");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static long count(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.count();
    }
  }

  /** Waits until message and answer are handled. */
  private void settle() {
    String all =
        "SELECT count(*) = 2 AND max(seq) = (SELECT last_acked_seq FROM activity_feeds f WHERE"
            + " f.workspace_id = l.workspace_id) FROM activity_logs l WHERE activity_type ="
            + " 'a2a_receive' AND source <> 'self' AND workspace_id = '"
            + boss.id()
            + "' GROUP BY workspace_id";
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() -> "t".equals(AgentServer.SERVER.database().value(all)));
  }

  private AgentProcess connect(String command) throws IOException {
    return AgentProcess.start(
        AgentProcess.as(boss, folder.resolve("state")), "connect", "--exec", command);
  }
}
