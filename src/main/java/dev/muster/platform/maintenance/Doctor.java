package dev.muster.platform.maintenance;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.http.ListenAddress;
import dev.muster.platform.postgres.DatabaseAddress;
import dev.muster.platform.postgres.Pooler;
import dev.muster.platform.postgres.WallClock;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.StartRefusedException;
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
import javax.management.JMException;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.jspecify.annotations.Nullable;
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

  /** Whether the home of an embedded database has no server now. */
  private boolean isHomeUnused;

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
    cache();
    return found;
  }

  private void add(String name, State state, String detail) {
    found.add(new Check(name, state, detail));
  }

  private void settings() {
    ContractVariables.Faults faults = ContractVariables.faults(environment);
    faults.refusals().forEach(one -> add("settings", State.FAIL, String.valueOf(one.getMessage())));
    faults.warnings().forEach(one -> add("settings", State.WARN, one));
    if (found.isEmpty()) {
      add("settings", State.OK, "all can be used");
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
    EmbeddedDatabase.requireUsable(home);
    if (!Files.exists(home)) {
      isHomeUnused = true;
      newHome(home);
      return Optional.empty();
    }
    space(home);
    Optional<MusterHome> free = MusterHome.openIfFree(home);
    if (free.isEmpty()) {
      add("home", State.OK, "a server runs in %s".formatted(home));
      return Optional.of(MaintainedDatabase.running(home).address());
    }
    free.get().close();
    isHomeUnused = true;
    String detail;
    if (!EmbeddedDatabase.isIn(home)) {
      detail = "%s has no database yet; the first start makes it";
    } else if (EmbeddedDatabase.findRunning(home).isPresent()) {
      detail = "the server in %s was killed; its database still runs, and the next start ends it";
    } else {
      detail = "no server runs in %s; its database is stopped, and was not asked";
    }
    add("home", State.OK, detail.formatted(home));
    return Optional.empty();
  }

  private void newHome(Path home) {
    @Nullable Path place = home.getParent();
    while (place != null && !Files.exists(place)) {
      place = place.getParent();
    }
    boolean canBeMade = place != null && Files.isDirectory(place) && Files.isWritable(place);
    add(
        "home",
        canBeMade ? State.OK : State.FAIL,
        canBeMade
            ? "%s does not exist yet; the first start makes it".formatted(home)
            : "%s does not exist, and the user %s cannot make it in %s; set MUSTER_HOME to another folder"
                .formatted(home, System.getProperty("user.name"), place));
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
    ListenAddress address;
    try {
      address = ListenAddress.of(environment);
    } catch (StartRefusedException e) {
      return; // a fault of the settings, and told there
    }
    try (ServerSocket socket = new ServerSocket()) {
      InetAddress host = InetAddress.ofLiteral(address.host());
      socket.bind(new InetSocketAddress(host, address.port()));
      add("port", State.OK, "%d of %s is free".formatted(address.port(), address.host()));
    } catch (IOException e) {
      boolean isThisMuster = !isHomeUnused && isMuster(address);
      add(
          "port",
          isThisMuster ? State.OK : State.FAIL,
          (isThisMuster
                  ? "a server answers at %d of %s"
                  : "%d of %s cannot be used (%s); stop the program that has it, or set"
                      + " SERVER_PORT")
              .formatted(address.port(), address.host(), String.valueOf(e.getMessage())));
    }
  }

  private void cache() {
    String file = AheadOfTimeCache.named();
    if (file.isEmpty()) {
      add("cache", State.OK, "there is no ahead-of-time cache; a start takes longer without one");
      return;
    }
    try {
      boolean isUsed = // a class that each start loads
          AheadOfTimeCache.holds(ContractVariables.class);
      add(
          "cache",
          isUsed ? State.OK : State.WARN,
          (isUsed
                  ? "the ahead-of-time cache %s is used"
                  : "the ahead-of-time cache %s is not used, and a start takes longer; it is not"
                      + " there, or was made of other files")
              .formatted(file));
    } catch (JMException e) {
      add("cache", State.OK, "this Java does not tell whether it uses " + file);
    }
  }

  private static boolean isMuster(ListenAddress address) {
    String host =
        switch (address.host()) {
          case "0.0.0.0" -> "127.0.0.1";
          case String ip when ip.contains(":") -> "[" + ip.replaceFirst("%.*", "") + "]";
          case String ip -> ip;
        };
    String url = "http://%s:%d/ready".formatted(host, address.port());
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
