package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The output of the agent program, and its use of workspace names. */
@Execution(ExecutionMode.CONCURRENT)
@Slow
@Timeout(120)
class AgentOutputTest {

  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String LINE =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z (INFO|WARN|ERROR) \\S.*";

  private final Agent boss = AgentServer.CLIENT.create("Boss");
  private final Agent clerk = child("Clerk");

  @TempDir private Path folder;

  @Test
  void printsEachEventOnALineWithItsTime() throws IOException {
    String row = AgentServer.sendFromCanvas(boss, "m-1", "hi");
    try (AgentProcess program = start(boss, "connect", "--exec", "echo well")) {
      await()
          .atMost(LIMIT)
          .until(() -> program.err().contains("the reply to message " + row + " is sent"));
      program.terminate();
      assertThat(program.awaitEnd()).isZero();

      List<String> lines = program.err().lines().toList();
      assertThat(lines).allMatch(line -> line.matches(LINE));
      assertThat(lines.stream().map(line -> line.replaceFirst("\\S+ ", "")))
          .containsExactly(
              "INFO registered as workspace " + boss.id() + ", which is online",
              "INFO message " + row + " from canvas_user goes to the handler",
              "INFO message " + row + " is handled",
              "INFO the reply to message " + row + " is sent",
              "INFO the agent ends: it was stopped");
    }
  }

  @Test
  void printsOnlyErrorsInQuietMode() throws IOException {
    AgentServer.sendFromCanvas(boss, "m-1", "hi");
    String row = AgentServer.sendFromCanvas(boss, "m-2", "trouble");
    // No word of hexadecimal digits: the handler's input has identifiers too.
    String command =
        "grep -q trouble && { echo no model >&2; echo at all >&2; exit 7; } || echo well";
    try (AgentProcess program = start(boss, "connect", "--quiet", "--exec", command)) {
      await().atMost(LIMIT).until(() -> program.err().contains("\n"));
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(AgentServer.notifications(boss)).containsExactly("well"));
      program.terminate();
      assertThat(program.awaitEnd()).isZero();

      assertThat(program.err().strip())
          .matches(LINE)
          .endsWith(
              " ERROR the handler failed on message "
                  + row
                  + ": the command ended with 7: no model | at all");
    }
  }

  @Test
  void confirmsASentNotification() throws IOException {
    try (AgentProcess notify = start(boss, "notify", "hello")) {
      assertThat(notify.awaitEnd()).isZero();
      assertThat(notify.err().strip()).matches(LINE).endsWith(" INFO the notification is sent");
      assertThat(notify.out()).isEmpty();
    }
    assertThat(AgentServer.notifications(boss)).containsExactly("hello");
  }

  @Test
  void reportsAMessageThatIsQueuedForAPeerOfThisNameUnlessQuiet() throws IOException {
    try (AgentProcess loud = start(boss, "send", "--to", "Clerk", "hello");
        AgentProcess quiet = start(boss, "send", "--quiet", "--to", "Clerk", "hello")) {
      assertThat(loud.awaitEnd()).isZero();
      assertThat(loud.err().strip())
          .matches(LINE)
          .contains(" INFO no answer yet; the message is kept as ");
      assertThat(quiet.awaitEnd()).as(quiet.err()).isZero();
      assertThat(quiet.out() + quiet.err()).isEmpty();
    }
    assertThat(AgentServer.client(clerk).fetchInbound(null, 10, "a2a_receive", Duration.ZERO))
        .hasSize(2)
        .allSatisfy(message -> assertThat(message.text()).isEqualTo("hello"));
  }

  @Test
  void printsWhyItEndsOnALineWithItsTime() throws IOException {
    try (AgentProcess connect =
        start(boss, "connect", "--quiet", "--token", "wrong", "--exec", "true")) {
      assertThat(connect.awaitEnd()).isEqualTo(4);
      assertThat(connect.err().strip()).matches(LINE).contains(" ERROR ", "401");
    }
  }

  @Test
  void listsTheCandidatesOfANameThatIsNotUnique() throws IOException {
    Agent other = child("Clerk");
    Agent typist = child("Typist");
    try (AgentProcess two = start(boss, "delegate", "--to", "Clerk", "file that");
        AgentProcess none = start(boss, "send", "--to", "Klerk", "hello")) {
      assertThat(two.awaitEnd()).isEqualTo(2);
      assertThat(two.err())
          .contains("\"Clerk\" is the name of more than one peer")
          .contains(clerk.id() + " Clerk", other.id() + " Clerk")
          .doesNotContain("Typist");
      assertThat(none.awaitEnd()).isEqualTo(2);
      assertThat(none.err())
          .contains("\"Klerk\" is the name of no peer")
          .contains(clerk.id() + " Clerk", typist.id() + " Typist");
    }
  }

  private Agent child(String name) {
    return AgentServer.CLIENT.create(name, "\"parent_id\":\"" + boss.id() + "\"");
  }

  private AgentProcess start(Agent as, String... args) throws IOException {
    return AgentProcess.start(AgentProcess.as(as, folder.resolve("state")), args);
  }
}
