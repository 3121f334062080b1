package dev.muster.platform.embedded;

import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs {@code initdb}, {@code pg_ctl} and {@code postgres} of one folder of binaries. */
final class PostgresPrograms {

  private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

  private final Path bin;
  private final Path logs;

  /**
   * @param bin the folder with the programs
   * @param logs the working directory, which also gets each program's last output
   */
  PostgresPrograms(Path bin, Path logs) {
    this.bin = bin;
    this.logs = logs;
  }

  record Outcome(int exitCode, String output) {

    boolean succeeded() {
      return exitCode == 0;
    }
  }

  /**
   * Runs a program to its end; refuses the start when it takes longer than {@code limit}.
   *
   * <p>An interrupted thread waits too, and stays interrupted: a server whose start it left alone
   * would be stopped by nobody.
   */
  Outcome run(Duration limit, String program, String... arguments) {
    List<String> command = new ArrayList<>(RootPostgresUser.prefix());
    command.add(bin.resolve(program).toString());
    command.addAll(List.of(arguments));
    Path log = logOf(program);
    ProcessBuilder builder = new ProcessBuilder(command).directory(logs.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    // Drop PGDATA, PGPORT and the like, which are for other databases. LC_ALL=C avoids locales that
    // are not installed and makes the messages English, as the parsing below needs.
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      if (!ends(process, limit)) {
        process.destroyForcibly();
        throw new StartRefusedException(
            "PostgreSQL's %s did not end within %d s; see %s."
                .formatted(program, limit.toSeconds(), log));
      }
      String output = new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1);
      return new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      throw new StartRefusedException(
          "PostgreSQL's %s cannot be run (%s)."
              .formatted(bin.resolve(program), IoFailureText.of(e)),
          e);
    }
  }

  private static boolean ends(Process process, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean wasInterrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  String majorVersion() {
    Outcome outcome = run(Duration.ofSeconds(30), "postgres", "--version");
    Matcher version = VERSION.matcher(outcome.output());
    if (!version.find()) {
      throw new StartRefusedException(
          "The embedded PostgreSQL cannot run here: %s; see %s."
              .formatted(ServerLog.cause(outcome.output()), logOf("postgres")));
    }
    return version.group(1);
  }

  Path logOf(String program) {
    return logs.resolve("last-" + program + ".log");
  }
}
