package dev.muster.agent.cli;

import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "notify",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description = "Says something to the human at the canvas.")
final class NotifyCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(NotifyCommand.class);

  @Mixin private ConnectionOptions options = new ConnectionOptions();

  @Parameters(paramLabel = "TEXT", description = "what is said")
  private String text = "";

  @Override
  public Integer call() {
    options.client().notify(text);
    log.info("the notification is sent");
    return ExitCode.DONE;
  }
}
