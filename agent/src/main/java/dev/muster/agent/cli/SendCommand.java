package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.SendResult;
import dev.muster.agent.cli.Waits.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "send",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description = "Sends a message to a peer and prints its answer, if there is one in time.")
final class SendCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(SendCommand.class);

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
      description = "for the answer of a peer that polls, 60 at most (default: not at all)")
  private int wait;

  @Parameters(paramLabel = "TEXT", description = "the message")
  private String text = "";

  @Override
  public Integer call() throws IOException {
    AgentClient client = options.client();
    String peer = ConnectionOptions.peerId(client, to);
    if (wait < 1) {
      return report(client.send(peer, text));
    }
    String id = UUID.randomUUID().toString();
    try (Wait waiting = new Waits(options.stateDir()).begin(id)) {
      SendResult sent = client.send(peer, text, Duration.ofSeconds(wait), id);
      int code = report(sent);
      if (!(sent instanceof SendResult.Queued)) {
        waiting.markReported();
      }
      return code;
    }
  }

  private int report(SendResult sent) {
    return switch (sent) {
      case SendResult.Answered answered -> {
        System.out.println(answered.text());
        yield ExitCode.DONE;
      }
      case SendResult.Queued queued -> {
        boolean late = wait > 0;
        log.atLevel(late ? Level.WARN : Level.INFO)
            .log("no answer yet; the message is kept as {}", queued.id());
        yield late ? ExitCode.NO_ANSWER : ExitCode.DONE;
      }
      case SendResult.Refused refused -> {
        log.error("the peer refused: {}", refused.text());
        yield ExitCode.FAILED;
      }
    };
  }
}
