package dev.muster.platform.maintenance;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.postgres.DatabaseAddress;
import dev.muster.platform.settings.ContractVariables;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The database of the settings, for the time of a command. An embedded one that no server runs is
 * started, and stopped at the end; until then no server can use its home.
 */
final class MaintainedDatabase implements AutoCloseable {

  private final DatabaseAddress address;
  private final @Nullable MusterHome home;
  private final @Nullable EmbeddedDatabase started;

  private MaintainedDatabase(
      DatabaseAddress address, @Nullable MusterHome home, @Nullable EmbeddedDatabase started) {
    this.address = address;
    this.home = home;
    this.started = started;
  }

  /** Opens the database to read it; a server may run meanwhile. */
  static MaintainedDatabase toRead(Environment settings) {
    Optional<DatabaseAddress> external = DatabaseAddress.of(settings);
    if (external.isPresent()) {
      return new MaintainedDatabase(external.get(), null, null);
    }
    Path folder = home(settings);
    if (!EmbeddedDatabase.isIn(folder)) {
      throw new CommandFailedException(
          "There is no database in the home %s; set MUSTER_HOME or DATABASE_URL."
              .formatted(folder));
    }
    return MusterHome.openIfFree(folder)
        .map(MaintainedDatabase::started)
        .orElseGet(() -> running(folder));
  }

  /** Opens the database to fill it; an embedded one is created, and no server may run. */
  static MaintainedDatabase toFill(Environment settings) {
    return DatabaseAddress.of(settings)
        .map(external -> new MaintainedDatabase(external, null, null))
        .orElseGet(() -> started(MusterHome.open(home(settings))));
  }

  static Path home(Environment settings) {
    return MusterHome.folder(
        ContractVariables.text(settings, "muster.home")
            .or(() -> ContractVariables.text(settings, "MUSTER_HOME")));
  }

  private static MaintainedDatabase started(MusterHome home) {
    try {
      EmbeddedDatabase database = EmbeddedDatabase.start(home);
      return new MaintainedDatabase(
          embedded(database.jdbcUrl(), database.user(), database.password()), home, database);
    } catch (RuntimeException e) {
      home.close();
      throw e;
    }
  }

  /** Finds the database that a server runs in its home. */
  static MaintainedDatabase running(Path home) {
    EmbeddedDatabase.Running database = EmbeddedDatabase.running(home);
    return new MaintainedDatabase(
        embedded(database.jdbcUrl(), database.user(), database.password()), null, null);
  }

  private static DatabaseAddress embedded(String url, String user, String password) {
    return new DatabaseAddress("MUSTER_HOME", url, Optional.of(user), Optional.of(password));
  }

  DatabaseAddress address() {
    return address;
  }

  @Override
  public void close() {
    if (started != null) {
      started.close();
    }
    if (home != null) {
      home.close();
    }
  }
}
