package dev.muster.platform.embedded;

import dev.muster.platform.embedded.PostgresPrograms.Outcome;
import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the database files at the first start; later starts only check their version. */
final class DataFolder {

  private static final Duration INITDB_LIMIT = Duration.ofMinutes(5);
  private static final int FIRST_WITH_SCRAM_ITERATIONS = 16;
  private static final int FIRST_WITH_BUILTIN_LOCALE = 17;

  private static final Logger log = LoggerFactory.getLogger(DataFolder.class);

  private final Path folder;
  private final PostgresPrograms programs;

  DataFolder(Path folder, PostgresPrograms programs) {
    this.folder = folder;
    this.programs = programs;
  }

  boolean exists() {
    return Files.exists(folder);
  }

  /** Creates an empty database whose superuser has the password in this file. */
  void make(String user, Path passwordFile) {
    try {
      AtomicDirectory.make(folder, unfinished -> initdb(unfinished, user, passwordFile));
    } catch (IOException e) {
      throw new StartRefusedException(
          "The embedded PostgreSQL cannot make its data folder %s (%s)."
              .formatted(folder, IoFailureText.of(e)),
          e);
    }
  }

  private void initdb(Path unfinished, String user, Path passwordFile) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--pgdata=" + unfinished,
                "--username=" + user,
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                "--encoding=UTF8"));
    int major = Integer.parseInt(programs.majorVersion());
    if (major >= FIRST_WITH_SCRAM_ITERATIONS) {
      // More iterations slow down each login; a password of 24 random bytes cannot be guessed.
      arguments.add("--set=scram_iterations=1");
    }
    // The same on every machine: UTF-8, ordered by code point, whatever the user's locale.
    arguments.addAll(
        major >= FIRST_WITH_BUILTIN_LOCALE
            ? List.of("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
            : List.of("--locale=C.UTF-8"));
    Outcome outcome = programs.run(INITDB_LIMIT, "initdb", arguments.toArray(String[]::new));
    if (!outcome.succeeded()) {
      throw new StartRefusedException(
          "The embedded PostgreSQL cannot make its data folder: %s; see %s."
              .formatted(ServerLog.cause(outcome.output()), programs.logOf("initdb")));
    }
  }

  /**
   * Removes unfinished folders of killed first starts.
   *
   * <p>Runs at every start, because an {@code initdb} that outlived its server may have written
   * files after an earlier removal.
   */
  void removeUnfinished() {
    try {
      AtomicDirectory.removeUnfinished(Objects.requireNonNull(folder.getParent()));
    } catch (IOException e) {
      log.debug("Could not look for unfinished folders", e);
    }
  }

  /** Refuses the start when another major version of PostgreSQL wrote the data. */
  void check() {
    String programsMajor = programs.majorVersion();
    String dataMajor = majorVersion();
    if (!dataMajor.equals(programsMajor)) {
      throw new StartRefusedException(
          "The data in %s was written by PostgreSQL %s, and this Muster brings PostgreSQL %s; dump it"
                  .formatted(folder, dataMajor, programsMajor)
              + " with the Muster that wrote it and pg_dump, or set MUSTER_HOME to another"
              + " folder.");
    }
  }

  private String majorVersion() {
    Path file = folder.resolve("PG_VERSION");
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new StartRefusedException(
          "%s is not a PostgreSQL data folder that Muster can read (%s: %s); restore it, or set"
                  .formatted(folder, file.getFileName(), IoFailureText.of(e))
              + " MUSTER_HOME to another folder.",
          e);
    }
  }
}
