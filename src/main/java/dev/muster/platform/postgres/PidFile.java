package dev.muster.platform.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * PostgreSQL's {@code postmaster.pid}, read with the suspicion it needs after a crash.
 *
 * <p>The number in it may by now belong to any process. PostgreSQL then refuses to start, and
 * {@code pg_ctl stop} sends that process a signal without asking who it is.
 */
final class PidFile {

  /** Beyond the process ids of every system. */
  private static final String NOBODY = Integer.toString(Integer.MAX_VALUE);

  private final Path file;
  private final Path binaries;

  /**
   * @param binaries where the programs of every version are; a process that runs one of them is of
   *     this home, since nobody else does
   */
  PidFile(Path dataFolder, Path binaries) {
    this.file = dataFolder.resolve("postmaster.pid");
    this.binaries = binaries;
  }

  /** The server that has this file, if it lives and is of this home. */
  Optional<ProcessHandle> server() throws IOException {
    Optional<ProcessHandle> process = lines().stream().findFirst().flatMap(PidFile::process);
    return process.isPresent() && isOurs(process.get()) ? process : Optional.empty();
  }

  /**
   * Makes the file name no living process, if its process is not of this home.
   *
   * <p>The file stays, because its other lines lead PostgreSQL to the shared memory of the server
   * that crashed: with them it still refuses to start beside survivors of that one.
   */
  void clearForeignPid() throws IOException {
    List<String> lines = new ArrayList<>(lines());
    if (!Files.exists(file) || server().isPresent()) {
      return;
    }
    if (lines.isEmpty()) {
      lines.add(NOBODY); // an empty file would refuse the start as well
    } else {
      lines.set(0, NOBODY);
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

  private boolean isOurs(ProcessHandle process) throws IOException {
    Path ours = binaries.toRealPath(); // the system names a program by its path without links
    return process.info().command().filter(path -> Path.of(path).startsWith(ours)).isPresent();
  }
}
