package dev.muster;

import dev.muster.platform.maintenance.Maintenance;
import dev.muster.platform.settings.SettingNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts one replica of the control plane for AI-agent workspaces. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class MusterApplication {

  private static final String HELP =
      """
      Usage: muster [COMMAND | -h | --help | -v | --version]

      Without a command it starts the server. Commands:
      COMMANDS
      Settings are environment variables, all optional:
        NAMES
      Without DATABASE_URL it brings its own PostgreSQL, with its data in MUSTER_HOME
      (~/.muster), and listens on 127.0.0.1, port SERVER_PORT (8080). A setting may also be
      an option, as --SERVER_PORT=8081.
      """;

  /**
   * Starts the server, or runs a command (R11.1); {@code --help} and {@code --version} only print.
   */
  public static void main(String[] args) {
    List<String> options = Arrays.asList(args);
    Optional<String> wrong = wrong(options);
    if (options.contains("--help") || options.contains("-h")) {
      System.out.print(
          HELP.replace("COMMANDS\n", Maintenance.USAGE)
              .replace("NAMES", String.join("\n  ", SettingNames.all())));
    } else if (options.contains("--version") || options.contains("-v")) {
      System.out.println("muster " + version());
    } else if (wrong.isPresent()) {
      System.err.printf("muster: %s%nmuster --help says more.%n", wrong.get());
      System.exit(Maintenance.MISUSED);
    } else if (isCommand(options)) {
      System.exit(new Maintenance(version(), options, System.out, System.err).run());
    } else {
      new MusterApplicationStart().run(args);
    }
  }

  private static boolean isCommand(List<String> arguments) {
    return !arguments.isEmpty() && !arguments.getFirst().startsWith("-");
  }

  /** Says what is wrong with the arguments, if anything is. */
  private static Optional<String> wrong(List<String> arguments) {
    if (!isCommand(arguments)) {
      Optional<String> late = arguments.stream().filter(one -> !one.startsWith("-")).findFirst();
      if (late.isPresent()) {
        return late.map(word -> "%s comes too late (expected: the command first)".formatted(word));
      }
    }
    return arguments.stream()
        .filter(one -> one.startsWith("-") && !Maintenance.isOption(arguments.getFirst(), one))
        .flatMap(one -> SettingNames.wrongOption(one).stream())
        .findFirst();
  }

  /**
   * Logs what starts. Spring's own line names the jar as the ahead-of-time cache of a release knows
   * it, which lay elsewhere when the cache was made (JDK-8376576).
   */
  private static final class MusterApplicationStart extends SpringApplication {

    MusterApplicationStart() {
      super(MusterApplication.class);
    }

    @Override
    protected void logStartupInfo(ConfigurableApplicationContext context) {
      LoggerFactory.getLogger(MusterApplication.class)
          .info(
              "Muster {} starts, on Java {}, as process {}",
              version(),
              Runtime.version(),
              ProcessHandle.current().pid());
    }
  }

  private static String version() {
    Properties build = new Properties();
    try (@Nullable InputStream in =
        MusterApplication.class.getResourceAsStream("/META-INF/build-info.properties")) {
      if (in != null) {
        build.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return build.getProperty("build.version", "unknown");
  }
}
