package dev.muster.platform.postgres;

import dev.muster.platform.postgres.Postmaster.Timeouts;
import dev.muster.platform.settings.StartRefusedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;

/**
 * A PostgreSQL server of Muster's own, with its programs and its data in the home.
 *
 * <p>It is as durable as any other: what it acknowledged survives a kill of Muster, of PostgreSQL
 * and of both. It listens on 127.0.0.1 only, and asks everybody for a password that is made at the
 * first start and kept in the home.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  /** Written out although most are PostgreSQL's defaults: these are what Muster promises. */
  private static final List<String> SETTINGS =
      List.of(
          "fsync=on",
          "full_page_writes=on",
          "synchronous_commit=on",
          "max_connections=100",
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=''",
          // Failed statements are told to Muster anyway; here they would keep values on the disk.
          "log_min_messages=log",
          "log_checkpoints=off");

  private static final String USER = "muster";
  private static final String PASSWORD = "database-password";

  /**
   * What a shell acts on between double quotes, which is how PostgreSQL's programs hand on paths.
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
   * Starts the database of this home, and makes it, if this is its first start.
   *
   * @param more settings of PostgreSQL, {@code name=value}, which win over its own
   * @throws StartRefusedException if it cannot
   */
  public static EmbeddedDatabase start(MusterHome home, String... more) {
    RootPostgresUser.check();
    Path folder = home.folder("postgres");
    if (UNQUOTABLE.matcher(folder.toString()).find()) {
      throw new StartRefusedException(
          "PostgreSQL's programs cannot work in %s; set MUSTER_HOME to a path without \" $ ` \\ %%."
              .formatted(folder));
    }
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
      // Not a hook of the JVM's: those run beside Spring's, which still has connections to close.
      SpringApplication.getShutdownHandlers().add(database::close);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
    binaries.removeOthers();
    data.removeUnfinished();
    return database;
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
    return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port);
  }

  public String user() {
    return USER;
  }

  public String password() {
    return password;
  }

  /** Stops PostgreSQL; connections still open are cut. */
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
