package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.Sent;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "send",
    mixinStandardHelpOptions = true,
    description = "Sends a message to a peer and prints its answer, if there is one in time.")
final class SendCommand implements Callable<Integer> {

  @Mixin private Workplace workplace = new Workplace();

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
  public Integer call() {
    AgentClient client = workplace.client();
    Sent sent = client.send(Workplace.peerId(client, to), text, Duration.ofSeconds(wait));
    return switch (sent) {
      case Sent.Answered answered -> {
        System.out.println(answered.text());
        yield ExitCode.DONE;
      }
      case Sent.Queued queued -> {
        System.err.println("muster-agent: no answer yet; the message is kept as " + queued.id());
        yield wait > 0 ? ExitCode.NO_ANSWER : ExitCode.DONE;
      }
      case Sent.Refused refused -> {
        System.err.println("muster-agent: the peer refused: " + refused.text());
        yield ExitCode.FAILED;
      }
    };
  }
}
