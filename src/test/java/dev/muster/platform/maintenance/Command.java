package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The end of a command of the program, and what it said. */
record Command(int exitCode, String out, String err) {

  /** Runs a command in this process; {@code arguments} as on the command line. */
  static Command run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode =
        new Maintenance(
                "0.0.0-test",
                List.of(arguments),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8))
            .run();
    return new Command(exitCode, out.toString(UTF_8), err.toString(UTF_8));
  }
}
