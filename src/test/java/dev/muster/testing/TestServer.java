package dev.muster.testing;

import dev.muster.MusterApplication;
import dev.muster.testing.TestDatabases.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A whole server in this JVM, on a free port of loopback and a database of its own unless one is
 * given.
 */
public final class TestServer implements AutoCloseable {

  public static final String ADMIN_TOKEN = "the-admin-token-of-the-tests";

  /** Tests are in a hurry; those of the limits name their own. */
  static final Map<String, String> NO_RATE_LIMITS =
      Map.of("RATE_LIMIT", "0", "RATE_LIMIT_HEARTBEAT", "0", "RATE_LIMIT_POLL", "0");

  private static final class Shared {
    static final TestServer SERVER = start("REGISTRATION=open", "AGENT_URL_ALLOW=loopback");

    static {
      SharedResources.run(SERVER::close);
    }
  }

  private final ConfigurableApplicationContext context;
  private final TestDatabase database;

  private TestServer(ConfigurableApplicationContext context, TestDatabase database) {
    this.context = context;
    this.database = database;
  }

  /**
   * The one that tests share who need nothing special and can live with others' workspaces around.
   */
  public static TestServer shared() {
    return Shared.SERVER;
  }

  /** {@code settings} as {@code NAME=value}. */
  public static TestServer start(String... settings) {
    return startOn(TestDatabases.create(), settings);
  }

  /** A replica, when another server uses the same database. */
  public static TestServer startOn(TestDatabase database, String... settings) {
    return startWith(database, List.of(), settings);
  }

  /** With more beans than the product has: those of the {@code @Bean} methods of these classes. */
  public static TestServer startWith(
      TestDatabase database, List<Class<?>> more, String... settings) {
    Map<String, String> given = new LinkedHashMap<>();
    given.put("DATABASE_URL", database.url());
    given.put("SERVER_PORT", "0");
    given.put("SERVER_ADDRESS", "127.0.0.1");
    given.put("ADMIN_TOKEN", ADMIN_TOKEN);
    given.putAll(NO_RATE_LIMITS);
    given.put("spring.datasource.hikari.maximum-pool-size", "8");
    given.put("spring.datasource.hikari.minimum-idle", "1");
    given.put("spring.datasource.hikari.idle-timeout", "10000");
    for (String setting : settings) {
      given.put(
          setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
    }
    String[] arguments =
        given.entrySet().stream()
            .map(s -> "--" + s.getKey() + "=" + s.getValue())
            .toArray(String[]::new);
    SpringApplication application =
        new SpringApplication(
            Stream.concat(Stream.of(MusterApplication.class), more.stream())
                .toArray(Class<?>[]::new));
    application.setRegisterShutdownHook(false);
    return new TestServer(run(application, arguments), database);
  }

  private static ConfigurableApplicationContext run(
      SpringApplication application, String[] arguments) {
    return runAsFirst(application, arguments).orElseGet(() -> application.run(arguments));
  }

  /**
   * Logging is one for the JVM: the first server sets it up, with no other beside it; those that
   * follow, who would silence it for a moment and trip over each other, leave it as it is.
   */
  private static synchronized Optional<ConfigurableApplicationContext> runAsFirst(
      SpringApplication application, String[] arguments) {
    if (LoggingSystem.NONE.equals(System.getProperty(LoggingSystem.SYSTEM_PROPERTY))) {
      return Optional.empty();
    }
    ConfigurableApplicationContext first = application.run(arguments);
    System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
    return Optional.of(first);
  }

  public TestClient client() {
    return new TestClient("http://127.0.0.1:" + port());
  }

  public int port() {
    return Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer()).getPort();
  }

  /** The metrics of this moment; the page that is served may be a second old. */
  public String metrics() {
    return bean(PrometheusMeterRegistry.class).scrape();
  }

  public TestDatabase database() {
    return database;
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  @Override
  public void close() {
    context.close();
  }
}
