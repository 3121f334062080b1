package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.Delegation;
import dev.muster.agent.cli.Waits.Wait;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "delegate",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description =
        "Delegates a task to a peer and prints the delegation's id, or with --wait its result.")
final class DelegateCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(DelegateCommand.class);
  private static final Duration MAX_POLL = Duration.ofMinutes(1);

  @Mixin private ConnectionOptions options = new ConnectionOptions();

  @Option(
      names = "--to",
      paramLabel = "PEER",
      required = true,
      description = "the peer's id, or its name if no other peer has the same")
  private String to = "";

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      arity = "0..1",
      fallbackValue = "3600",
      description = "for the result; an hour when no number is given")
  private int wait;

  @Option(
      names = "--key",
      description = "the same key within a day is the same delegation, unless that failed")
  private @Nullable String key;

  @Option(
      names = "--parent-delegation",
      paramLabel = "ID",
      description = "the delegation that this one is a part of (default: the one of the message)")
  private String parentDelegation = "";

  @Parameters(paramLabel = "TASK", description = "the task")
  private String task = "";

  @Override
  public Integer call() throws IOException {
    AgentClient client = options.client().workingOn(parentDelegation.strip());
    String peer = ConnectionOptions.peerId(client, to);
    if (wait < 1) {
      System.out.println(made(client, peer).id());
      return ExitCode.DONE;
    }
    Waits waits = new Waits(options.stateDir());
    Delegation made;
    Wait waiting;
    Closeable held = waits.holdingAnswers();
    try (held) {
      made = made(client, peer);
      waiting = waits.begin(made.id());
    }
    try (waiting) {
      Delegation now = ended(client, made);
      if (now.isOver()) {
        int code = report(now);
        waiting.markReported();
        return code;
      }
    }
    // the delegation may have ended after the last read and before the wait was closed
    return report(client.delegation(made.id(), Duration.ZERO));
  }

  private Delegation made(AgentClient client, String peer) {
    return client.delegate(peer, task, Optional.ofNullable(key), Optional.empty());
  }

  private Delegation ended(AgentClient client, Delegation made) {
    long due = System.nanoTime() + Duration.ofSeconds(wait).toNanos();
    Delegation now = made;
    while (!now.isOver()) {
      Duration left = Duration.ofNanos(due - System.nanoTime());
      if (!left.isPositive()) {
        return now;
      }
      now = client.delegation(made.id(), left.compareTo(MAX_POLL) < 0 ? left : MAX_POLL);
    }
    return now;
  }

  private static int report(Delegation delegation) {
    return switch (delegation.status()) {
      case "completed" -> {
        System.out.println(delegation.result());
        yield ExitCode.DONE;
      }
      case "failed" -> {
        log.error("the delegation failed: {}", delegation.error());
        yield ExitCode.FAILED;
      }
      default -> {
        log.warn("delegation {} is {}", delegation.id(), delegation.status());
        yield ExitCode.NO_ANSWER;
      }
    };
  }
}
