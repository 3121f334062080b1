package dev.muster.platform.embedded;

import dev.muster.platform.embedded.Postmaster.Timeouts;
import dev.muster.platform.settings.StartRefusedException;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;

/**
 * Runs a PostgreSQL server whose programs and data are in the Muster home.
 *
 * <p>It is fully durable: committed data survives a kill of Muster, of PostgreSQL and of both. It
 * listens on 127.0.0.1 only. Every connection needs a password, which the first start generates and
 * keeps in the home.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  /** Settings that Muster relies on, set explicitly although most are PostgreSQL's defaults. */
  private static final List<String> SETTINGS =
      List.of(
          "fsync=on",
          "full_page_writes=on",
          "synchronous_commit=on",
          "max_connections=100",
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=''",
          // Muster gets the errors of failed statements anyway; a log would keep their values on
          // the disk.
          "log_min_messages=log",
          "log_checkpoints=off");

  private static final String USER = "muster";
  private static final String PASSWORD = "database-password";

  /**
   * Characters that a shell interprets in double quotes, in which PostgreSQL's programs pass paths.
   */
  private static final Pattern UNQUOTABLE =
      Pattern.compile(File.separatorChar == '/' ? "[\"$`\\\\\n]" : "[\"%\n]");

  private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);

  private final Postmaster postmaster;
  private final int port;
  private final String password;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedDatabase(Postmaster postmaster, int port, String password) {
    this.postmaster = postmaster;
    this.port = port;
    this.password = password;
  }

  /**
   * Starts the database of this home, and creates it at the first start.
   *
   * @param more settings of PostgreSQL, {@code name=value}, which override the default ones
   * @throws StartRefusedException if the database does not start
   */
  public static EmbeddedDatabase start(MusterHome home, String... more) {
    requireUsable(home.folder());
    Path folder = home.folder("postgres");
    PostgresBinaries binaries = PostgresBinaries.unpackedIn(folder.resolve("bin"));
    PostgresPrograms programs = new PostgresPrograms(binaries.bin(), folder);
    DataFolder data = new DataFolder(folder.resolve("data"), programs);
    String password = password(home, data);
    if (data.exists()) {
      data.check();
    } else {
      data.make(USER, home.secretFile(PASSWORD));
    }
    Postmaster postmaster = new Postmaster(folder, programs, Timeouts.USUAL);
    var database =
        new EmbeddedDatabase(postmaster, postmaster.start(settings(binaries, more)), password);
    try {
      database.checkLogin(home.secretFile(PASSWORD));
      // A JVM shutdown hook would run in parallel to Spring's, which still closes connections.
      SpringApplication.getShutdownHandlers().add(database::close);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
    binaries.removeOthers();
    data.removeUnfinished();
    return database;
  }

  /**
   * Checks, without a change, whether a database can run in this home.
   *
   * @throws StartRefusedException if it cannot, whatever is there
   */
  public static void requireUsable(Path home) {
    URL _ = PostgresBinaries.archive();
    RootPostgresUser.check();
    if (UNQUOTABLE.matcher(home.toString()).find()) {
      throw new StartRefusedException(
          "PostgreSQL's programs cannot work in %s; set MUSTER_HOME to a path without \" $ ` \\ %%."
              .formatted(home));
    }
  }

  /** Whether the home has a database, which may be stopped. */
  public static boolean isIn(Path home) {
    return Files.exists(home.resolve("postgres/data/PG_VERSION"));
  }

  /**
   * Returns the address of the database that a server, of another process, runs in this home.
   *
   * @throws StartRefusedException if there is none, or it cannot be found
   */
  public static Running running(Path home) {
    return findRunning(home)
        .orElseThrow(() ->
            new StartRefusedException(
                "The home %s is in use, and its database cannot be found; try again when its server is ready."
                    .formatted(home)));
  }

  /** As {@link #running}; empty if none listens. A server that was killed leaves its database. */
  public static Optional<Running> findRunning(Path home) {
    Path postgres = home.resolve("postgres");
    try {
      int port = new PidFile(postgres.resolve("data"), postgres.resolve("bin")).port();
      return Optional.of(
          new Running(url(port), USER, Files.readString(home.resolve(PASSWORD)).strip()));
    } catch (IOException | NoSuchElementException e) {
      return Optional.empty();
    }
  }

  /** The address and the login of a database that another process runs. */
  public record Running(String jdbcUrl, String user, String password) {

    @Override
    public String toString() {
      return jdbcUrl;
    }
  }

  private static String password(MusterHome home, DataFolder data) {
    return home.secret(PASSWORD)
        .orElseGet(() -> {
          if (data.exists()) {
            throw new StartRefusedException(
                "The database password %s is missing; restore it or set MUSTER_HOME to another folder."
                    .formatted(home.secretFile(PASSWORD)));
          }
          byte[] random = new byte[24];
          new SecureRandom().nextBytes(random);
          String made = HexFormat.of().formatHex(random);
          home.keepSecret(PASSWORD, made);
          return made;
        });
  }

  private static List<String> settings(PostgresBinaries binaries, String... more) {
    List<String> settings = new ArrayList<>(SETTINGS);
    if (binaries.hasLibrary("pg_stat_statements")) {
      settings.add("shared_preload_libraries=pg_stat_statements");
    }
    settings.addAll(List.of(more));
    return settings;
  }

  private void checkLogin(Path passwordFile) {
    Properties login = new Properties();
    login.setProperty("user", USER);
    login.setProperty("password", password);
    login.setProperty("loginTimeout", "10");
    try (Connection connection = DriverManager.getConnection(jdbcUrl(), login)) {
      log.debug("Connected to PostgreSQL {}", connection.getMetaData().getDatabaseProductVersion());
    } catch (SQLException e) {
      throw new StartRefusedException(
          "The embedded PostgreSQL started but refuses the login (%s); is %s the one it was made with?"
              .formatted(e.getMessage(), passwordFile),
          e);
    }
  }

  public String jdbcUrl() {
    return url(port);
  }

  private static String url(int port) {
    return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port);
  }

  public String user() {
    return USER;
  }

  public String password() {
    return password;
  }

  /** Stops PostgreSQL and cuts its open connections. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      postmaster.stop();
    } catch (IOException | RuntimeException e) {
      log.warn("PostgreSQL was not stopped; the next start will do it", e);
    }
  }
}
