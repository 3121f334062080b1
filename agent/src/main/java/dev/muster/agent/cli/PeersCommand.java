package dev.muster.agent.cli;

import dev.muster.agent.Peer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "peers",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description = "Prints whom this agent may talk to, one a line: id, status and name, by tabs.")
final class PeersCommand implements Callable<Integer> {

  @Mixin private ConnectionOptions options = new ConnectionOptions();

  @Override
  public Integer call() {
    for (Peer peer : options.client().peers()) {
      System.out.println(peer.id() + "\t" + peer.status() + "\t" + peer.name().replace('\t', ' '));
    }
    return ExitCode.DONE;
  }
}
