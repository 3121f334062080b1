package dev.muster.testing;

import dev.muster.MusterApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A server in a process of its own, as an operator starts it, to be killed. */
public final class ServerProcess implements AutoCloseable {

  private final Process process;
  private final int port;
  private final Path log;

  private ServerProcess(Process process, int port, Path log) {
    this.process = process;
    this.port = port;
    this.log = log;
  }

  /**
   * The settings of a server that uses this database, and may send to agents on loopback; {@code
   * more} as {@code NAME=value}.
   */
  public static Map<String, String> settings(String databaseUrl, String... more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("DATABASE_URL", databaseUrl);
    settings.put("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    settings.put("AGENT_URL_ALLOW", "loopback");
    for (String setting : more) {
      String[] parts = setting.split("=", 2);
      settings.put(parts[0], parts[1]);
    }
    return settings;
  }

  /**
   * Starts in the embedded mode and returns at once, see {@link #awaitReady}. {@code settings} are
   * environment variables.
   */
  public static ServerProcess start(Path home, Map<String, String> settings) throws IOException {
    return start(MusterApplication.class, home, settings);
  }

  /** As above with another main class, for a server with additional beans. */
  public static ServerProcess start(Class<?> main, Path home, Map<String, String> settings)
      throws IOException {
    int port = FreePorts.next();
    Path log = Files.createTempFile("muster-server-", ".log");
    List<String> command = new ArrayList<>(StartCache.command());
    command.add("-Dtest.pace=" + FastPace.PACE.factor()); // only PacedServer reads it
    command.add(main.getName());
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("MUSTER_HOME", home.toString());
    builder.environment().put("SERVER_PORT", Integer.toString(port));
    builder.environment().remove("DATABASE_URL");
    builder.environment().putAll(TestServer.NO_RATE_LIMITS);
    // on a busy machine a database may take longer to answer than the default wait
    builder.environment().put("DATABASE_WAIT_S", "60");
    // several servers share one PostgreSQL with the connections of the tests
    builder.environment().put("SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "8");
    builder.environment().put("SPRING_DATASOURCE_HIKARI_MINIMUM_IDLE", "1");
    builder.environment().put("SPRING_DATASOURCE_HIKARI_IDLE_TIMEOUT", "10000");
    builder.environment().putAll(settings);
    return start(builder, home, port, log);
  }

  /**
   * Starts in the embedded mode with the product's limits, pool and optimising compiler; only these
   * options of the JVM and settings differ.
   */
  public static ServerProcess startAsDelivered(
      Path home, List<String> jvmOptions, Map<String, String> settings) throws IOException {
    int port = FreePorts.next();
    Path log = Files.createTempFile("muster-server-", ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    command.add(MusterApplication.class.getName());
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("MUSTER_HOME", home.toString());
    builder.environment().put("SERVER_PORT", Integer.toString(port));
    builder.environment().remove("DATABASE_URL");
    builder.environment().putAll(settings);
    return start(builder, home, port, log);
  }

  private static ServerProcess start(ProcessBuilder builder, Path home, int port, Path log)
      throws IOException {
    EndWithJvm.home(home);
    return new ServerProcess(EndWithJvm.process(builder.start()), port, log);
  }

  public ServerProcess awaitReady() {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> {
          if (!process.isAlive()) {
            throw new AssertionError("the server ended: " + output());
          }
          return output().contains("Muster is ready") || isReady();
        });
    return this;
  }

  private boolean isReady() {
    try {
      return client().get("/ready", null).status() == 200;
    } catch (IllegalStateException refused) {
      return false;
    }
  }

  public TestClient client() {
    return new TestClient("http://127.0.0.1:" + port);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** SIGSTOP or SIGCONT: it stops between two instructions, with its connections open. */
  public void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + name + " failed");
    }
  }

  /** SIGKILL: the server cannot react. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Waits for its end and returns the exit code. */
  public int awaitEnd() {
    return process.onExit().orTimeout(60, TimeUnit.SECONDS).join().exitValue();
  }

  public String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** SIGTERM, and SIGKILL when it does not end. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    } catch (CompletionException tooSlow) {
      kill();
    }
    Files.deleteIfExists(log);
  }
}
