package dev.muster.platform.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Reads PostgreSQL's {@code postmaster.pid}, whose process id may be stale after a crash.
 *
 * <p>The id may now belong to any process. PostgreSQL then refuses to start, and {@code pg_ctl
 * stop} signals that process without a check.
 */
final class PidFile {

  /** An id above the process ids of every system. */
  private static final String NO_PROCESS = Integer.toString(Integer.MAX_VALUE);

  /** The index of the line with the port. */
  private static final int PORT = 3;

  private final Path file;
  private final Path binaries;

  /**
   * @param binaries the folder with the programs of every version; a process that runs one of them
   *     belongs to this home
   */
  PidFile(Path dataFolder, Path binaries) {
    this.file = dataFolder.resolve("postmaster.pid");
    this.binaries = binaries;
  }

  /** Returns the live server process of this file, if it belongs to this home. */
  Optional<ProcessHandle> server() throws IOException {
    Optional<ProcessHandle> process = lines().stream().findFirst().flatMap(PidFile::process);
    return process.isPresent() && belongsToHome(process.get()) ? process : Optional.empty();
  }

  /**
   * Returns the port of the live server.
   *
   * @throws NoSuchElementException if there is no server, or it does not listen yet
   */
  int port() throws IOException {
    List<String> lines = lines();
    if (server().isEmpty() || lines.size() <= PORT || lines.get(PORT).isBlank()) {
      throw new NoSuchElementException("no server listens: " + file);
    }
    return Integer.parseInt(lines.get(PORT).strip());
  }

  /**
   * Replaces the process id of a foreign or dead process by an impossible one.
   *
   * <p>The other lines stay: they lead PostgreSQL to the shared memory of the crashed server.
   * PostgreSQL thus still refuses to start beside surviving processes of that server.
   */
  void clearForeignPid() throws IOException {
    List<String> lines = new ArrayList<>(lines());
    if (!Files.exists(file) || server().isPresent()) {
      return;
    }
    if (lines.isEmpty()) {
      lines.add(NO_PROCESS); // an empty file would refuse the start as well
    } else {
      lines.set(0, NO_PROCESS);
    }
    Files.write(file, lines, StandardCharsets.ISO_8859_1);
  }

  private List<String> lines() throws IOException {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1); // paths in it are any bytes
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private static Optional<ProcessHandle> process(String line) {
    try {
      // Negative: a server without a network, started by hand (postgres --single).
      return ProcessHandle.of(Math.abs(Long.parseLong(line.strip())));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private boolean belongsToHome(ProcessHandle process) throws IOException {
    Path ownBinaries = binaries.toRealPath(); // the system reports a program's path without links
    return process
        .info()
        .command()
        .filter(path -> Path.of(path).startsWith(ownBinaries))
        .isPresent();
  }
}
