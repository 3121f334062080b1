package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The agent program as a shell script uses it. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class AgentProgramTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Agent agent = AgentServer.CLIENT.create("Scripted");

  @TempDir private Path folder;

  /**
   * What its command prints is the reply, cut where it is more than the body of a notification may
   * have (R0.7); without output there is none, and an error degrades the agent.
   */
  @Test
  void answersWithWhatItsCommandPrints() throws IOException {
    Path in = folder.resolve("in");
    Path done = folder.resolve("done");
    String command =
        """
        cat > %1$s
        case "$(cat %1$s)" in
          *plain*) echo well; echo ;;
          *verbose*) head -c 300000 /dev/zero | tr '\\0' x ;;
          *broken*) echo no model >&2; exit 7 ;;
          *silent*) touch %2$s ;;
        esac
        """
            .formatted(in, done);
    try (AgentProcess program = connect(command)) {
      AgentServer.sendFromCanvas(agent, "m-1", "broken");
      await().atMost(LIMIT).until(() -> AgentServer.status(agent).equals("degraded"));
      assertThat(AgentServer.CLIENT.read(agent).path("last_sample_error").asString())
          .isEqualTo("the command ended with 7: no model");
      assertThat(program.isAlive()).isTrue();

      AgentServer.sendFromCanvas(agent, "m-2", "plain");
      await().atMost(LIMIT).until(() -> AgentServer.notifications(agent).size() == 1);
      assertThat(AgentServer.notifications(agent)).containsExactly("well");
      assertThat(Files.readString(in))
          .contains(
              "\"message_id\":\"m-2\"",
              "\"source\":\"canvas_user\"",
              "\"text\":\"plain\"",
              "\"raw\":{")
          .endsWith("}\n");

      AgentServer.sendFromCanvas(agent, "m-3", "verbose");
      await().atMost(LIMIT).until(() -> AgentServer.notifications(agent).size() == 2);
      assertThat(AgentServer.notifications(agent).getLast())
          .hasSizeGreaterThan(250_000)
          .startsWith("xxx")
          .endsWith("xxx… (cut, 300000 bytes)");

      AgentServer.sendFromCanvas(agent, "m-4", "silent");
      await().atMost(LIMIT).until(() -> Files.exists(done));
      program.terminate();
      assertThat(program.awaitEnd()).isZero();
      assertThat(AgentServer.notifications(agent)).hasSize(2);
      assertThat(Files.readString(folder.resolve("state").resolve("cursor.json"))).contains("/m-4");
    }
  }

  @Test
  void killsACommandThatTakesTooLong() throws IOException {
    AgentServer.sendFromCanvas(agent, "m-1", "hi");
    try (AgentProcess program =
        connect(
            "sleep 1000 & echo $! > " + folder.resolve("pid") + "; wait", "--exec-timeout", "5")) {
      await().atMost(LIMIT).until(() -> AgentServer.status(agent).equals("degraded"));

      long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
      await().until(() -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) == false);
      assertThat(program.err()).contains("took longer than 5 s");
    }
  }

  /**
   * The command hangs, as that of a wedged agent may: it is killed, and its message kept. A
   * requested restart ends the program with 75, so that its supervisor starts it again.
   */
  @Test
  void deliversAMessageAgainThatItsEndInterrupted() throws IOException {
    AgentServer.sendFromCanvas(agent, "m-1", "hi");
    Path begun = folder.resolve("begun");
    String hanging = "touch " + begun + "; sleep 1000";
    try (AgentProcess program = connect(hanging)) {
      await().atMost(LIMIT).until(() -> Files.exists(begun));
      program.terminate();
      assertThat(program.awaitEnd()).isZero();
    }
    Files.delete(begun);
    try (AgentProcess program = connect(hanging)) {
      await().atMost(LIMIT).until(() -> Files.exists(begun));

      AgentServer.CLIENT.post(
          "/workspaces/" + agent.id() + "/restart", TestServer.ADMIN_TOKEN, "{\"reason\":\"?\"}");

      assertThat(program.awaitEnd()).isEqualTo(75);
      assertThat(program.err()).contains("WARN the agent ends: a restart was requested");
    }
    try (AgentProcess program = connect("echo again")) {
      await().atMost(LIMIT).until(() -> AgentServer.notifications(agent).equals(List.of("again")));
      assertThat(AgentServer.CLIENT.read(agent).has("restart_requested_at")).isFalse();
      assertThat(program.isAlive()).isTrue();
    }
  }

  @Test
  void sendsToPeersAndWaitsForTheirAnswer() throws IOException {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    try (AgentProcess _ = connect("echo pong");
        AgentProcess send =
            AgentProcess.start(
                AgentProcess.as(child, folder.resolve("child")),
                "send",
                "--to",
                agent.id().toString(),
                "--wait",
                "50",
                "ping");
        AgentProcess peers =
            AgentProcess.start(
                Map.of(),
                "peers",
                "--quiet",
                "--url",
                AgentServer.CLIENT.baseUrl(),
                "--workspace-id",
                child.id().toString(),
                "--token",
                child.token());
        AgentProcess notify =
            AgentProcess.start(
                AgentProcess.as(child, folder.resolve("child")), "notify", "hello")) {
      assertThat(send.awaitEnd()).as(send.err()).isZero();
      assertThat(send.out()).isEqualTo("pong\n");
      assertThat(peers.awaitEnd()).as(peers.err()).isZero();
      assertThat(peers.out()).startsWith(agent.id() + "\t").endsWith("\tScripted\n");
      assertThat(notify.awaitEnd()).isZero();
      assertThat(AgentServer.notifications(child)).containsExactly("hello");
    }
  }

  @Test
  void delegatesAndWaitsForTheEnd() throws IOException {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    try (AgentProcess _ =
            connect("jq -re .text 2>/dev/null | grep -v bad || { echo no good >&2; exit 3; }");
        AgentProcess good = delegate(child, "file that");
        AgentProcess bad = delegate(child, "a bad one")) {
      assertThat(good.awaitEnd()).as(good.err()).isZero();
      assertThat(good.out()).isEqualTo("file that\n");
      assertThat(bad.awaitEnd()).isEqualTo(1);
      assertThat(bad.out()).isEmpty();
      assertThat(bad.err()).contains("the delegation failed: the command ended with 3: no good");
    }
  }

  /** The command of a delegated task delegates itself, by the program that it is run by. */
  @Test
  void namesTheDelegationOfTheMessageAsTheParent() throws IOException {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    String part =
        String.join(" ", AgentProcess.program()) + " delegate --to " + child.id() + " part";
    try (AgentProcess _ = connect(part);
        AgentProcess whole = delegate(child, "whole")) {
      assertThat(whole.awaitEnd()).as(whole.err()).isZero();
      String parent =
          AgentServer.CLIENT
              .get(
                  "/workspaces/" + agent.id() + "/delegations/" + whole.out().strip(),
                  agent.token())
              .field("parent_delegation_id");
      assertThat(
              AgentServer.CLIENT
                  .get("/workspaces/" + agent.id() + "/delegations/" + parent, agent.token())
                  .field("task"))
          .isEqualTo("whole");
    }
  }

  private AgentProcess delegate(Agent by, String task) throws IOException {
    return AgentProcess.start(
        AgentProcess.as(by, folder.resolve("child")),
        "delegate",
        "--to",
        agent.id().toString(),
        "--wait",
        "50",
        task);
  }

  private AgentProcess connect(String command, String... more) throws IOException {
    String[] args = new String[3 + more.length];
    args[0] = "connect";
    args[1] = "--exec";
    args[2] = command;
    System.arraycopy(more, 0, args, 3, more.length);
    return AgentProcess.start(AgentProcess.as(agent, folder.resolve("state")), args);
  }
}
