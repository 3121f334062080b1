package dev.muster.platform.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps PostgreSQL's log of this run and of the one before.
 *
 * <p>It is a file because the server outlives a killed Muster and a pipe would not. {@code pg_ctl}
 * offers nothing else on every system.
 */
final class ServerLog {

  private static final Pattern CAUSE = Pattern.compile("(?:FATAL|PANIC|error): +(.*)");

  private final Path file;

  ServerLog(Path folder) {
    this.file = folder.resolve("postgres.log");
  }

  Path file() {
    return file;
  }

  /** Starts a new file and keeps one previous file, to bound the disk space. */
  void begin() throws IOException {
    if (Files.exists(file)) {
      Path previous = file.resolveSibling("postgres.previous.log");
      Files.move(file, previous, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Returns the last error in a log file. */
  static String causeIn(Path log) {
    try {
      return cause(Files.readString(log, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return IoFailureText.of(e);
    }
  }

  /** Returns the last error in a program's output, or its last line. */
  static String cause(String output) {
    List<String> lines = output.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
    return lines.reversed().stream()
        .map(CAUSE::matcher)
        .filter(Matcher::find)
        .findFirst()
        .map(line -> line.group(1))
        .orElse(lines.isEmpty() ? "no output" : lines.getLast());
  }
}
