package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.AgentLoop;
import dev.muster.agent.PollDelivery;
import dev.muster.agent.Registration;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "connect",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description = {
      "Is an agent: registers, sends heartbeats, and gives every message to a command, whose output"
          + " is the reply.",
      "",
      "The command runs by 'sh -c' and reads one JSON object: message_id, activity_id, source"
          + " (canvas_user, peer_agent, system), source_id, text, delegation_id, reply_to, raw.",
      "What it prints is the reply; nothing printed is no reply, and what answers an answer is not"
          + " sent. When it ends with another code than 0, the message counts as failed, and a"
          + " delegated task is reported as failed.",
      "SIGTERM and SIGINT end it with code 0, a restart that an operator asks for with code 75: a"
          + " command that runs gets 10 seconds to end, then it is killed and its message is"
          + " handed out again by the next start.",
      "A reply that cannot be sent is kept in the state folder and sent when the server is back."
          + " An answer that 'send --wait' or 'delegate --wait' of this agent has printed is not"
          + " handed to the command again."
    })
final class ConnectCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(ConnectCommand.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

  @Mixin private ConnectionOptions options = new ConnectionOptions();

  @Option(names = "--exec", paramLabel = "COMMAND", required = true, description = "the command")
  private String exec = "";

  @Option(
      names = "--exec-timeout",
      paramLabel = "SECONDS",
      description = "how long the command may take for one message (default: ${DEFAULT-VALUE})")
  private int execTimeout = 300;

  @Option(names = "--name", description = "what the agent is called (default: ${DEFAULT-VALUE})")
  private String name = "agent";

  @Override
  public Integer call() {
    if (execTimeout < 1) {
      throw new IllegalArgumentException("--exec-timeout: " + execTimeout + " (expected: 1..)");
    }
    AgentClient client = options.client();
    ExecHandler handler =
        new ExecHandler(
            exec,
            Duration.ofSeconds(execTimeout),
            options.variables(),
            new Waits(options.stateDir()));
    CountDownLatch ended = new CountDownLatch(1);
    AgentLoop loop =
        AgentLoop.builder(client)
            .registration(Registration.polling(name))
            .delivery(
                PollDelivery.builder(client)
                    .cursorFile(options.stateDir().resolve("cursor.json"))
                    .build())
            .handler(handler)
            .onEnd(end -> {
              if (end == AgentLoop.End.RESTART) {
                Thread.ofPlatform().daemon().start(() -> stopLate(handler, ended));
              }
            })
            .build();
    Thread farewell = new Thread(() -> stopOnSignal(loop, handler, ended), "muster-farewell");
    Runtime.getRuntime().addShutdownHook(farewell);
    try {
      return code(loop.run());
    } finally {
      handler.stop();
      ended.countDown();
    }
  }

  /** Says why the agent ends, and returns its exit code. */
  static int code(AgentLoop.End end) {
    return switch (end) {
      case STOPPED -> {
        log.info("the agent ends: it was stopped");
        yield ExitCode.DONE;
      }
      case PAUSED -> {
        log.warn("the agent ends: its workspace is paused; start it again when that is resumed");
        yield ExitCode.PAUSED;
      }
      case REMOVED -> {
        log.warn("the agent ends: its workspace is removed");
        yield ExitCode.REMOVED;
      }
      case RESTART -> {
        log.warn("the agent ends: a restart was requested; start it again");
        yield ExitCode.RESTART;
      }
      case REFUSED -> {
        log.error("the agent ends: its token is revoked; an admin mints another");
        yield ExitCode.REVOKED;
      }
    };
  }

  /** Stops the loop on a signal. After any other end it does nothing, so the exit code stays. */
  private static void stopOnSignal(AgentLoop loop, ExecHandler handler, CountDownLatch ended) {
    if (ended.getCount() == 0) {
      return;
    }
    loop.stop();
    stopLate(handler, ended);
    System.err.flush();
    Runtime.getRuntime().halt(ExitCode.DONE); // a signal would give code 143
  }

  /** Kills a running command after a while, and then gives its failure time to be reported. */
  private static void stopLate(ExecHandler handler, CountDownLatch ended) {
    try {
      if (!ended.await(SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        handler.stop();
        // enough for a report of the failure, but not for retries to an unreachable server
        boolean ignored = ended.await(SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
