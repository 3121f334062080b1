package dev.muster.platform.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs PostgreSQL in a user namespace when Muster runs as root, which PostgreSQL refuses. */
final class RootPostgresUser {

  private static final List<String> UNSHARE = List.of("unshare", "-U");

  private RootPostgresUser() {}

  /** Returns the words to put before a command; empty unless this process is root. */
  static List<String> prefix() {
    return isRoot() ? UNSHARE : List.of();
  }

  /** Refuses the start when this process is root and cannot create a user namespace. */
  static void check() {
    if (!isRoot()) {
      return;
    }
    String problem = tryUnshare();
    if (!problem.isEmpty()) {
      throw new StartRefusedException(
          "PostgreSQL refuses to run as root, and this system forbids the user namespace that would"
              + " help (%s); run Muster as an ordinary user or set DATABASE_URL."
                  .formatted(problem));
    }
  }

  private static String tryUnshare() {
    try {
      Process process =
          new ProcessBuilder("unshare", "-U", "true").redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), US_ASCII).strip();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "unshare does not end";
      }
      return process.exitValue() == 0 ? "" : output;
    } catch (IOException e) {
      return IoFailureText.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private static boolean isRoot() {
    try {
      // The kernel's own view of this process; only Linux has it, and only Linux has unshare.
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
