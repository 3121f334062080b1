package dev.muster.platform.postgres;

import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.StartRefusedException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Waits for the configured database, and refuses the start when it cannot be used (R12.1).
 *
 * <p>Runs before anything else begins. It waits for what time cures, {@code DATABASE_WAIT_S}
 * seconds at most; a wrong password, a missing database or an old version refuses the start at
 * once. The sentence has the host, the port and the reason, and never the password. The first
 * connection also shows whether there is a {@link Pooler}, which becomes a bean.
 */
final class ReachableDatabase
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final Logger log = LoggerFactory.getLogger(ReachableDatabase.class);

  private static final int MIN_TRY_S = 5;
  private static final int TRY_S_OF_A_HOST = 2;
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

  /** The options of the pool's connections. */
  private static final String POOL_OPTIONS =
      "spring.datasource.hikari.data-source-properties.options";

  /**
   * Failed connections, lack of resources, and a database that starts or stops; the reasons of all
   * other refusals of a database stay.
   */
  private static final Set<String> CURED_BY_TIME = Set.of("08", "53", "57");

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    Environment environment = context.getEnvironment();
    Optional<Pooler> pooler =
        DatabaseAddress.of(environment) // an embedded one reports its own failures
            .flatMap(address -> await(address, environment));
    context.getBeanFactory().registerSingleton("pooler", pooler.orElse(new Pooler(false)));
  }

  /** Empty for a URL that is not PostgreSQL's: the pool reports it. */
  private static Optional<Pooler> await(DatabaseAddress address, Environment environment) {
    @Nullable Properties asked = address.properties("muster-start");
    if (asked == null) {
      return Optional.empty();
    }
    String hosts = hosts(asked);
    int limitS = Math.max(MIN_TRY_S, TRY_S_OF_A_HOST * (1 + hosts.split(",").length));
    PGProperty.LOGIN_TIMEOUT.set(asked, limitS);
    Duration wait = Setting.DATABASE_WAIT_S.find(environment, Duration.class).orElseThrow();
    long start = System.nanoTime();
    long logAt = start;
    while (true) {
      long began = System.nanoTime();
      try {
        Pooler pooler = Pooler.find(address, asked, environment.getProperty(POOL_OPTIONS, ""));
        if (pooler.isUsed()) {
          log.info(
              "The database at {} is behind a pooler; the server uses no prepared statements and"
                  + " does not listen",
              hosts);
        }
        return Optional.of(pooler);
      } catch (SQLException failure) {
        long now = System.nanoTime();
        String reason =
            now - began < Duration.ofSeconds(limitS).toNanos()
                ? reason(failure)
                : "no answer within " + limitS + " s";
        String problem = "The database at %s cannot be used: %s".formatted(hosts, reason);
        if (!isCuredByTime(failure) || now - start >= wait.toNanos()) {
          // no cause: the driver's message about a URL could show a secret in it
          throw new StartRefusedException(problem + hint(failure, address.setting()));
        }
        if (now - logAt >= 0) {
          long leftS = wait.minusNanos(now - start).plusMillis(999).toSeconds();
          log.warn("{}; tries again for up to {} s (DATABASE_WAIT_S)", problem, leftS);
          logAt = now + LOG_INTERVAL.toNanos();
        }
        LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
        if (Thread.currentThread().isInterrupted()) {
          throw new StartRefusedException(problem + "; the start was interrupted.");
        }
      }
    }
  }

  private static boolean isCuredByTime(SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    return state.length() > 2
        && CURED_BY_TIME.contains(state.substring(0, 2))
        && !(root(failure) instanceof SSLException);
  }

  private static String hint(SQLException failure, String setting) {
    return isCuredByTime(failure)
        ? "; check %s and that PostgreSQL runs there, or set DATABASE_WAIT_S to the seconds that the start may wait for it."
            .formatted(setting)
        : "; check %s and the database.".formatted(setting);
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

  private static String reason(SQLException failure) {
    String said = serverMessage(failure);
    if (!said.isEmpty()) {
      return said;
    }
    return switch (root(failure)) {
      case UnknownHostException _ -> "its host name is not known";
      case SocketTimeoutException _ -> "it does not answer";
      case SQLException e when String.valueOf(e.getSQLState()).startsWith("08") ->
          String.valueOf(e.getMessage());
      case SQLException e -> "the driver refuses its url (SQLSTATE " + e.getSQLState() + ")";
      case Throwable other -> String.valueOf(other.getMessage());
    };
  }

  /** Returns the first line that the server said; empty when it said nothing. */
  static String serverMessage(SQLException failure) {
    @Nullable ServerErrorMessage said =
        failure instanceof PSQLException answer ? answer.getServerErrorMessage() : null;
    return said == null ? "" : String.valueOf(said.getMessage());
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
