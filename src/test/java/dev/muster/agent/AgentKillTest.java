package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A killed agent loses no message, and repeats only the one in progress (R13.1). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class AgentKillTest {

  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final int MESSAGES = Rounds.of(24, 60);
  private static final int KILLS = Rounds.of(1, 5);

  private final Agent agent = AgentServer.CLIENT.create("Killed");

  @TempDir private Path folder;

  /** The handler notes each message and then waits: the kill comes during the wait. */
  @Test
  void handlesAMessageAgainWhenItIsKilledBeforeItsEnd() throws IOException {
    AgentServer.sendFromCanvas(agent, "m-1", "one");
    try (AgentProcess program = connect(note() + "; sleep 1000")) {
      await().atMost(LIMIT).until(() -> lines().size() == 1);
      program.kill();
    }
    try (AgentProcess _ = connect(note())) {
      AgentServer.sendFromCanvas(agent, "m-2", "two");
      await().atMost(LIMIT).until(() -> lines().size() == 3);
    }
    assertThat(lines()).containsExactly("m-1", "m-1", "m-2");
  }

  @Test
  void losesNoMessageWhenKilledRepeatedly() throws IOException {
    List<String> sent = IntStream.range(0, MESSAGES).mapToObj(i -> "m-" + i).toList();
    sent.forEach(id -> AgentServer.sendFromCanvas(agent, id, "text"));
    for (int kill = 1; kill <= KILLS; kill++) {
      int enough = kill * MESSAGES / (KILLS + 1);
      try (AgentProcess program = connect(note())) {
        await()
            .atMost(LIMIT)
            .pollInterval(Duration.ofMillis(7))
            .until(() -> lines().size() >= enough);
        program.kill();
      }
    }
    try (AgentProcess _ = connect(note())) {
      await().atMost(LIMIT).until(() -> lines().contains(sent.getLast()));
    }
    assertThat(lines().stream().distinct().toList()).isEqualTo(sent);
    assertThat(lines()).hasSizeBetween(MESSAGES, MESSAGES + KILLS);
  }

  private String note() {
    return "sed 's/.*\"message_id\":\"\\([^\"]*\\)\".*/\\1/;q' >> " + folder.resolve("handled");
  }

  private List<String> lines() throws IOException {
    Path file = folder.resolve("handled");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private AgentProcess connect(String command) throws IOException {
    return AgentProcess.start(
        AgentProcess.as(agent, folder.resolve("state")), "connect", "--exec", command);
  }
}
