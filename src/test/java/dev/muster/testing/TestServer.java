package dev.muster.testing;

import dev.muster.MusterApplication;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.testing.TestDatabases.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A server in this JVM, on a free port of loopback, with a database of its own unless one is given.
 */
public final class TestServer implements AutoCloseable {

  public static final String ADMIN_TOKEN = "the-admin-token-of-the-tests";

  /** Tests send many requests; tests of the limits set their own. */
  static final Map<String, String> NO_RATE_LIMITS =
      Map.of("RATE_LIMIT", "0", "RATE_LIMIT_HEARTBEAT", "0", "RATE_LIMIT_POLL", "0");

  private static final String SWEPT =
      "SELECT count(last_success) FROM recurring_jobs"
          + " WHERE task_name IN ('liveness-sweep', 'stall-sweep')";

  private static final class Shared {
    static final TestServer SERVER = start("REGISTRATION=open", "AGENT_URL_ALLOW=loopback");

    static {
      SharedResources.run(SERVER::close);
    }
  }

  /**
   * Reads the class files of the product once in this JVM, and those of the tests never: reading
   * them again takes half of a start.
   */
  private static final class Context extends AnnotationConfigServletWebServerApplicationContext {

    private static final Map<Class<?>, Map<Resource, ?>> READ = new ConcurrentHashMap<>();
    private static final Map<String, Resource[]> FOUND = new ConcurrentHashMap<>();

    @Override
    @SuppressWarnings("unchecked")
    public <T> Map<Resource, T> getResourceCache(Class<T> type) {
      return (Map<Resource, T>) READ.computeIfAbsent(type, one -> new ConcurrentHashMap<>());
    }

    @Override
    public void clearResourceCaches() {
      // The next server uses them.
    }

    @Override
    public Resource[] getResources(String pattern) throws IOException {
      Resource @Nullable [] known = FOUND.get(pattern);
      if (known == null) {
        known =
            Stream.of(super.getResources(pattern))
                .filter(Context::isOfProduct)
                .toArray(Resource[]::new);
        FOUND.put(pattern, known);
      }
      return known;
    }

    private static boolean isOfProduct(Resource resource) {
      return !resource.getDescription().contains("/test-classes/");
    }
  }

  private final ConfigurableApplicationContext context;
  private final TestDatabase database;

  private TestServer(ConfigurableApplicationContext context, TestDatabase database) {
    this.context = context;
    this.database = database;
  }

  /**
   * A server shared by tests that need no special settings and tolerate the workspaces of others.
   */
  public static TestServer shared() {
    return Shared.SERVER;
  }

  /** {@code settings} as {@code NAME=value}. */
  public static TestServer start(String... settings) {
    return startOn(TestDatabases.create(), settings);
  }

  /**
   * Starts a server that has swept once, as each does at its start, and sweeps no more. A sweep
   * would end the hold that a test begins.
   */
  public static TestServer startWithoutSweeps(String... settings) {
    return startWithoutSweepsOn(TestDatabases.create(), settings);
  }

  /** As {@link #startWithoutSweeps}, on a database that the test gives. */
  public static TestServer startWithoutSweepsOn(TestDatabase database, String... settings) {
    TestServer server =
        startOn(
            database,
            Stream.concat(Stream.of("LIVENESS_SWEEP_INTERVAL_S=86400"), Stream.of(settings))
                .toArray(String[]::new));
    Awaitility.await().until(() -> server.database().value(SWEPT).equals("2"));
    return server;
  }

  /** Records events, as a change does in its transaction. */
  public void record(NewEvent... recorded) {
    bean(TransactionTemplate.class)
        .executeWithoutResult(_ -> List.of(recorded).forEach(bean(Events.class)::record));
  }

  /** Waits until the history of the fleet has begun, which some reads of the console need. */
  public void awaitHistory() {
    Awaitility.await().until(() -> database.value("SELECT count(*) FROM history_head").equals("1"));
  }

  /** Starts a replica when another server uses the same database. */
  public static TestServer startOn(TestDatabase database, String... settings) {
    return startWith(database, List.of(), settings);
  }

  /** Starts with additional beans: those of the {@code @Bean} methods of these classes. */
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
    application.setApplicationContextFactory(type -> new Context());
    return new TestServer(run(application, arguments), database);
  }

  private static ConfigurableApplicationContext run(
      SpringApplication application, String[] arguments) {
    return runAsFirst(application, arguments).orElseGet(() -> application.run(arguments));
  }

  /**
   * Logging is global to the JVM: the first server configures it, alone; later ones, which would
   * disturb it for a moment, leave it unchanged.
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

  /** The current metrics; the served page may be a second old. */
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
