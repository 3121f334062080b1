package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;

/** The end of a command of the program, and what it said. */
public record Command(int exitCode, String out, String err) {

  /** A source without beans. */
  private static final class Nothing {}

  /** Runs a command in this process; {@code arguments} as on the command line. */
  public static Command run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try {
      int exitCode =
          new Maintenance(
                  "0.0.0-test",
                  List.of(arguments),
                  new PrintStream(out, true, UTF_8),
                  new PrintStream(err, true, UTF_8))
              .run();
      return new Command(exitCode, out.toString(UTF_8), err.toString(UTF_8));
    } finally {
      logAgain();
    }
  }

  /** A command silences the log of its process, which here goes on with other tests. */
  private static void logAgain() {
    System.clearProperty("CONSOLE_LOG_THRESHOLD");
    SpringApplication application = new SpringApplication(Nothing.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setInitializers(List.of());
    application.setRegisterShutdownHook(false);
    application.setLogStartupInfo(false);
    application.run().close();
  }
}
