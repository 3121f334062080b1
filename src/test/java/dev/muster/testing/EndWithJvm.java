package dev.muster.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes and databases that end when this JVM ends, however it ends: {@code
 * src/test/sh/end-with-jvm} waits for the end of a pipe from this JVM.
 */
public final class EndWithJvm {

  private static final class Watcher {

    static final Writer PIPE = start();

    private static Writer start() {
      try {
        List<String> command = new ArrayList<>();
        // in a session of its own, no signal to the process group of the tests reaches it
        Path setsid = Path.of("/usr/bin/setsid");
        if (Files.isExecutable(setsid)) {
          command.add(setsid.toString());
        }
        command.addAll(List.of("sh", "src/test/sh/end-with-jvm"));
        ProcessBuilder builder =
            new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("TMPDIR", System.getProperty("java.io.tmpdir"));
        return builder.start().outputWriter(StandardCharsets.UTF_8);
      } catch (IOException e) {
        System.err.println("!!! A killed JVM will leave its processes running: " + e.getMessage());
        return Writer.nullWriter();
      }
    }
  }

  private EndWithJvm() {}

  /** Kills this process at the end of the JVM, if it has not ended before. */
  public static Process process(Process process) {
    write("pid " + process.pid());
    var _ = process.onExit().thenRun(() -> write("gone " + process.pid()));
    return process;
  }

  /** Stops the PostgreSQL of this home, and deletes the home if it is a temporary one. */
  public static void home(Path home) {
    write("home " + home.toAbsolutePath());
  }

  /** This home needs nothing at the end of the JVM. */
  public static void gone(Path home) {
    write("gone " + home.toAbsolutePath());
  }

  private static void write(String line) {
    synchronized (Watcher.PIPE) {
      try {
        Watcher.PIPE.write(line + "\n");
        Watcher.PIPE.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
