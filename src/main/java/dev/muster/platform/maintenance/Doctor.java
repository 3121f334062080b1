package dev.muster.platform.maintenance;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.postgres.DatabaseAddress;
import dev.muster.platform.postgres.Pooler;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.platform.time.WallClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds what is wrong where a server should run, or runs already (R11.1). It changes nothing, and
 * starts no database.
 */
final class Doctor {

  enum State {
    OK,
    WARN,
    FAIL
  }

  /** What one check found. */
  record Check(String name, State state, String detail) {}

  private static final long LITTLE_SPACE = 1L << 30;
  private static final long FEW_FILES = 4096;
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(2);
  private static final Duration HTTP_LIMIT = Duration.ofSeconds(3);

  private final ConfigurableEnvironment environment;
  private final List<Check> found = new ArrayList<>();

  Doctor(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  static String lines(List<Check> checks) {
    StringBuilder lines = new StringBuilder();
    for (Check check : checks) {
      lines.append(
          "%-4s %-9s %s%n"
              .formatted(
                  check.state().name().toLowerCase(Locale.ROOT), check.name(), check.detail()));
    }
    return lines.toString();
  }

  static String json(List<Check> checks) {
    JsonMapper json = JsonMapper.shared();
    var root = json.createObjectNode();
    var array = root.putArray("checks");
    for (Check check : checks) {
      array
          .addObject()
          .put("name", check.name())
          .put("state", check.state().name().toLowerCase(Locale.ROOT))
          .put("detail", check.detail());
    }
    return json.writeValueAsString(root) + System.lineSeparator();
  }

  static boolean hasFailed(List<Check> checks) {
    return checks.stream().anyMatch(check -> check.state() == State.FAIL);
  }

  List<Check> checks() {
    settings();
    Optional<DatabaseAddress> database = database();
    database.ifPresent(this::askDatabase);
    files();
    port();
    return found;
  }

  private void add(String name, State state, String detail) {
    found.add(new Check(name, state, detail));
  }

  private void settings() {
    List<String> problems = ContractVariables.problems(environment);
    problems.forEach(one -> add("settings", State.FAIL, one));
    if (problems.isEmpty()) {
      add("settings", State.OK, "all have the right form; the start checks what they name");
    }
  }

  /** Checks the home of an embedded database; empty where no database can be asked. */
  private Optional<DatabaseAddress> database() {
    try {
      Optional<DatabaseAddress> external = DatabaseAddress.of(environment);
      return external.isPresent() ? external : embedded(MaintainedDatabase.home(environment));
    } catch (StartRefusedException e) {
      add("database", State.FAIL, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private Optional<DatabaseAddress> embedded(Path home) {
    if (!Files.exists(home)) {
      add("home", State.OK, "%s does not exist yet; the first start makes it".formatted(home));
      return Optional.empty();
    }
    space(home);
    Optional<MusterHome> free = MusterHome.openIfFree(home);
    if (free.isEmpty()) {
      add("home", State.OK, "a server runs in %s".formatted(home));
      return Optional.of(MaintainedDatabase.running(home).address());
    }
    free.get().close();
    add(
        "home",
        State.OK,
        (EmbeddedDatabase.isIn(home)
                ? "no server runs in %s; its database is stopped, and was not asked"
                : "%s has no database yet; the first start makes it")
            .formatted(home));
    return Optional.empty();
  }

  private void space(Path home) {
    try {
      long bytes = Files.getFileStore(home).getUsableSpace();
      add(
          "space",
          bytes < LITTLE_SPACE ? State.WARN : State.OK,
          "%,d MiB are free for %s".formatted(bytes >> 20, home));
    } catch (IOException e) {
      add(
          "space",
          State.FAIL,
          "%s cannot be asked for its free space (%s)".formatted(home, e.getMessage()));
    }
  }

  private void askDatabase(DatabaseAddress address) {
    try (Connection connection = address.connect("muster-doctor");
        Statement statement = connection.createStatement()) {
      server(address, connection, statement);
      clock(statement);
    } catch (StartRefusedException e) {
      add("database", State.FAIL, String.valueOf(e.getMessage()));
      return;
    } catch (SQLException e) {
      add(
          "database",
          State.FAIL,
          "%s cannot be used (%s); check %s"
              .formatted(address, String.valueOf(e.getMessage()), address.setting()));
      return;
    }
    schema(address);
  }

  private void server(DatabaseAddress address, Connection connection, Statement statement)
      throws SQLException {
    String version = connection.getMetaData().getDatabaseProductVersion();
    boolean takesWrites = Backup.value(statement, "SHOW transaction_read_only").equals("off");
    add(
        "database",
        takesWrites ? State.OK : State.FAIL,
        "%s is PostgreSQL %s%s%s"
            .formatted(
                connection.getMetaData().getURL().replaceFirst("\\?.*", ""),
                version,
                Pooler.find(address).isUsed() ? " behind a pooler" : "",
                takesWrites ? "" : ", and takes no writes: it is a standby, or read-only"));
    int most = Integer.parseInt(Backup.value(statement, "SHOW max_connections"));
    int used = Integer.parseInt(Backup.value(statement, "SELECT count(*) FROM pg_stat_activity"));
    add(
        "sessions",
        most - used < 25 ? State.WARN : State.OK,
        "%d of %d connections are in use; each server takes 25".formatted(used, most));
  }

  private void clock(Statement statement) throws SQLException {
    Instant before = new WallClock().instant();
    Instant database;
    try (ResultSet row =
        statement.executeQuery("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")) {
      row.next();
      database = Instant.ofEpochMilli(row.getLong(1));
    }
    Duration behind = Duration.between(database, before);
    Duration ahead = Duration.between(new WallClock().instant(), database);
    Duration difference = behind.compareTo(ahead) > 0 ? behind : ahead;
    add(
        "clock",
        difference.compareTo(CLOCK_TOLERANCE) > 0 ? State.WARN : State.OK,
        (difference.compareTo(CLOCK_TOLERANCE) > 0
                ? "it differs from the database's by %d ms; the database's counts"
                : "it agrees with the database's to %d ms")
            .formatted(Math.max(0, difference.toMillis())));
  }

  private void schema(DatabaseAddress address) {
    try {
      MigrationInfoService schema = Restore.flyway(address, "latest").info();
      MigrationInfo present = schema.current();
      int pending = schema.pending().length;
      boolean isOther =
          List.of(schema.applied()).stream()
              .anyMatch(one -> one.getResolvedChecksum() != null && !one.isChecksumMatching());
      if (isOther) {
        add("schema", State.FAIL, "it is of another version of Muster, which this one cannot read");
      } else if (present == null) {
        add("schema", State.OK, "there is none yet; the first start makes it");
      } else {
        add(
            "schema",
            pending > 0 ? State.WARN : State.OK,
            (pending > 0 ? "version %s; the next start makes %d changes" : "version %s")
                .formatted(present.getVersion(), pending));
      }
    } catch (FlywayException e) {
      add(
          "schema",
          State.FAIL,
          "it cannot be read (%s)"
              .formatted(String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
    }
  }

  private void files() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      long most = unix.getMaxFileDescriptorCount();
      add(
          "files",
          most < FEW_FILES ? State.WARN : State.OK,
          "a process may open %,d files; three quarters of them can be connections"
              .formatted(most));
    }
  }

  private void port() {
    String text = ContractVariables.text(environment, "SERVER_PORT").orElse("8080");
    String host =
        ContractVariables.text(environment, "SERVER_ADDRESS")
            .filter(one -> !one.equals("0.0.0.0") && !one.equals("::"))
            .orElse("127.0.0.1");
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(text)));
      add("port", State.OK, "%s of %s is free".formatted(text, host));
    } catch (IllegalArgumentException e) {
      add("port", State.FAIL, "SERVER_PORT is not a port");
    } catch (IOException e) {
      boolean isMuster = isMuster("http://%s:%s/ready".formatted(host, text));
      add(
          "port",
          isMuster ? State.OK : State.FAIL,
          (isMuster ? "a server answers at %s of %s" : "%s of %s cannot be used (%s)")
              .formatted(text, host, String.valueOf(e.getMessage())));
    }
  }

  private static boolean isMuster(String url) {
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(HTTP_LIMIT).build()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(HTTP_LIMIT).build();
      return client
          .send(request, BodyHandlers.ofString())
          .headers()
          .firstValue("X-Request-ID")
          .isPresent();
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
