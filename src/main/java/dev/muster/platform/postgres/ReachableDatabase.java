package dev.muster.platform.postgres;

import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.StartRefusedException;
import java.lang.management.ManagementFactory;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.util.PSQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Refuses the start when the configured database cannot be reached.
 *
 * <p>Runs before anything else begins. The sentence has the host, the port and the reason, and
 * never the password. Tries again only for {@code DATABASE_WAIT_S} seconds.
 */
final class ReachableDatabase
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final Logger log = LoggerFactory.getLogger(ReachableDatabase.class);

  /** Below the 5 s within which a failing start must end; the rest is for the shutdown. */
  private static final Duration FIRST_TRY_TIMEOUT = Duration.ofSeconds(4);

  private static final long MIN_TRY_S = 1;
  private static final long MAX_FIRST_TRY_S = 2;

  /** The limit of each later try, in seconds; longer, as {@code DATABASE_WAIT_S} allows a wait. */
  private static final long LATER_TRY_S = 3;

  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    Environment environment = context.getEnvironment();
    switch (DatabaseMode.of(environment)) {
      case EMBEDDED -> {} // reports its own failures
      case BY_URL -> {
        DatabaseUrl url =
            DatabaseUrl.parse(ContractVariables.text(environment, "DATABASE_URL").orElseThrow());
        require("DATABASE_URL", url.jdbcUrl(), url.user(), url.password(), environment);
      }
      case BY_SPRING ->
          require(
              "spring.datasource.url",
              ContractVariables.text(environment, "spring.datasource.url").orElseThrow(),
              ContractVariables.text(environment, "spring.datasource.username"),
              ContractVariables.text(environment, "spring.datasource.password"),
              environment);
    }
  }

  private static void require(
      String setting,
      String url,
      Optional<String> user,
      Optional<String> password,
      Environment environment) {
    Driver driver = new Driver();
    @Nullable Properties parsed = Driver.parseURL(url, null);
    if (parsed == null) {
      return; // not a PostgreSQL URL: the pool reports it
    }
    Properties asked = new Properties();
    user.ifPresent(name -> PGProperty.USER.set(asked, name));
    password.ifPresent(secret -> PGProperty.PASSWORD.set(asked, secret));
    PGProperty.APPLICATION_NAME.set(asked, "muster-start");
    Duration wait = Setting.DATABASE_WAIT_S.read(environment, Duration.class);
    long giveUpAt = System.nanoTime() + wait.toNanos();
    boolean logged = false;
    long limitS = firstTryS(Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime()));
    while (true) {
      PGProperty.LOGIN_TIMEOUT.set(asked, String.valueOf(limitS));
      @Nullable SQLException failure = tryOnce(driver, url, asked);
      if (failure == null) {
        return;
      }
      String problem =
          "The database at %s cannot be used: %s".formatted(hosts(parsed), reason(failure, limitS));
      if (System.nanoTime() - giveUpAt >= 0) {
        // no cause: the driver's message about a URL could show a secret in it
        throw new StartRefusedException(
            problem
                + "; check "
                + setting
                + " and that PostgreSQL runs there, or set DATABASE_WAIT_S to the seconds that the"
                + " start may wait for it.");
      }
      if (!logged) {
        log.warn("{}; tries again for up to {} s (DATABASE_WAIT_S)", problem, wait.toSeconds());
        logged = true;
      }
      limitS = LATER_TRY_S;
      LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
    }
  }

  /**
   * Returns the limit of the first try: the whole seconds until the JVM is 4 s old, from 1 to 2.
   */
  static long firstTryS(Duration age) {
    return Math.clamp(FIRST_TRY_TIMEOUT.minus(age).toSeconds(), MIN_TRY_S, MAX_FIRST_TRY_S);
  }

  private static @Nullable SQLException tryOnce(Driver driver, String url, Properties asked) {
    try {
      @Nullable Connection connection = driver.connect(url, asked);
      if (connection != null) {
        connection.close();
      }
      return null;
    } catch (SQLException e) {
      return e;
    }
  }

  /** Returns all hosts and ports, such as {@code db.example:5432}, separated by commas. */
  private static String hosts(Properties parsed) {
    String[] names =
        Objects.requireNonNullElse(PGProperty.PG_HOST.getOrDefault(parsed), "").split(",", -1);
    String[] ports =
        Objects.requireNonNullElse(PGProperty.PG_PORT.getOrDefault(parsed), "").split(",", -1);
    StringBuilder hosts = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      hosts.append(i == 0 ? "" : ", ").append(names[i]);
      if (i < ports.length) {
        hosts.append(':').append(ports[i]);
      }
    }
    return hosts.toString();
  }

  private static String reason(SQLException failure, long limitS) {
    if (failure instanceof PSQLException answer && answer.getServerErrorMessage() != null) {
      return String.valueOf(answer.getServerErrorMessage().getMessage());
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return switch (root) {
      case UnknownHostException e -> "its host name is not known";
      case SocketTimeoutException e -> noAnswer(limitS);
      // most such failures have a cause, handled above; without one the login timed out
      case SQLException e when "08001".equals(e.getSQLState()) -> noAnswer(limitS);
      case SQLException e when String.valueOf(e.getSQLState()).startsWith("08") ->
          String.valueOf(e.getMessage());
      case SQLException e -> "the driver refuses its url (SQLSTATE " + e.getSQLState() + ")";
      default -> String.valueOf(root.getMessage());
    };
  }

  private static String noAnswer(long limitS) {
    return "no answer within " + limitS + " s";
  }
}
