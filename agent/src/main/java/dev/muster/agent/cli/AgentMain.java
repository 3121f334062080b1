package dev.muster.agent.cli;

import dev.muster.agent.MusterException;
import dev.muster.agent.Peer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs the program {@code muster-agent}, the jar with the classifier {@code cli}. */
@Command(
    name = "muster-agent",
    mixinStandardHelpOptions = true,
    versionProvider = AgentVersion.class,
    description = "Makes any command an agent of Muster, and lets scripts speak to other agents.",
    subcommands = {
      ConnectCommand.class,
      SendCommand.class,
      DelegateCommand.class,
      AgentMain.NotifyCommand.class,
      AgentMain.PeersCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done; for connect: stopped by SIGTERM or SIGINT, with the cursor kept",
      "1:failed: the server or a peer refused or could not be reached",
      "2:the command line is wrong",
      "3:the workspace is removed",
      "4:not admitted: the token is missing, wrong, or not good for this",
      "5:the workspace is paused",
      "6:no answer yet: what was sent is kept and will be delivered",
      "7:the token was good and is revoked: refused for a minute, also as it is in its file",
      "75:a restart was requested: start the agent again"
    },
    footerHeading = "%nEnvironment:%n",
    footer =
        "  Every option has a variable: MUSTER_URL, MUSTER_WORKSPACE_ID, MUSTER_TOKEN,%n "
            + " MUSTER_TOKEN_FILE, MUSTER_STATE_DIR, MUSTER_NAME, MUSTER_EXEC, MUSTER_EXEC_TIMEOUT,"
            + " MUSTER_QUIET, MUSTER_PARENT_DELEGATION.%n  A command of connect finds them set, so"
            + " that it can call this program itself.")
public final class AgentMain {

  @Command(
      name = "notify",
      mixinStandardHelpOptions = true,
      versionProvider = AgentVersion.class,
      description = "Sends a notification to the canvas.")
  static final class NotifyCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(NotifyCommand.class);

    @Mixin private ConnectionOptions options = new ConnectionOptions();

    @Parameters(paramLabel = "TEXT", description = "the text")
    private String text = "";

    @Override
    public Integer call() {
      options.client().notify(text);
      log.info("the notification is sent");
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "peers",
      mixinStandardHelpOptions = true,
      versionProvider = AgentVersion.class,
      description =
          "Prints the workspaces that this agent may talk to, one a line: id, status and name, with"
              + " tabs between.")
  static final class PeersCommand implements Callable<Integer> {

    @Mixin private ConnectionOptions options = new ConnectionOptions();

    @Override
    public Integer call() {
      for (Peer peer : options.client().peers()) {
        System.out.println(
            peer.id() + "\t" + peer.status() + "\t" + peer.name().replace('\t', ' '));
      }
      return ExitCode.DONE;
    }
  }

  private AgentMain() {}

  /** Runs the command and exits with one of the codes that {@code --help} lists. */
  public static void main(String[] args) {
    LineLog.install();
    System.exit(run(System.getenv(), args));
  }

  /** Runs the command with defaults from these variables; returns the exit code. */
  static int run(Map<String, String> environment, String... args) {
    CommandLine program = new CommandLine(new AgentMain());
    program.setDefaultValueProvider(new Variables(environment));
    program.setExecutionExceptionHandler((failure, command, line) -> {
      int code = code(failure);
      if (code == ExitCode.USAGE) {
        command.getErr().println("muster-agent: " + failure.getMessage());
      } else {
        LoggerFactory.getLogger(AgentMain.class)
            .error(
                "{}{}",
                failure.getMessage(),
                code == ExitCode.NOT_ADMITTED
                    ? "; the token is that of MUSTER_TOKEN, --token or --token-file"
                    : "");
      }
      return code;
    });
    if (args.length == 0) {
      program.usage(System.err);
      return ExitCode.USAGE;
    }
    return program.execute(args);
  }

  private static int code(Exception failure) throws Exception {
    return switch (failure) {
      case MusterException e when e.isRemoval() -> ExitCode.REMOVED;
      case MusterException e when e.isRefusal() -> ExitCode.NOT_ADMITTED;
      case MusterException ignored -> ExitCode.FAILED;
      case IllegalArgumentException ignored -> ExitCode.USAGE;
      case java.io.UncheckedIOException ignored -> ExitCode.FAILED;
      case java.io.IOException ignored -> ExitCode.FAILED;
      default -> throw failure;
    };
  }

  /** Takes an option's default from the environment variable of its name, unless that is blank. */
  private record Variables(Map<String, String> environment)
      implements CommandLine.IDefaultValueProvider {

    @Override
    public @org.jspecify.annotations.Nullable String defaultValue(CommandLine.Model.ArgSpec spec) {
      if (!(spec instanceof CommandLine.Model.OptionSpec option)) {
        return null;
      }
      String name = option.longestName().replaceFirst("^--", "");
      String variable = "MUSTER_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
      String value = environment.getOrDefault(variable, "");
      return value.isBlank() ? null : value;
    }
  }
}
