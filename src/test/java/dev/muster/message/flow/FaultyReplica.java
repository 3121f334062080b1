package dev.muster.message.flow;

import dev.muster.testing.PacedServer;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.StatementRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * A replica in its own process, whose statements go through a relay. It can be stopped again and
 * again, and be killed once.
 */
final class FaultyReplica implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final TestDatabase database;
  private final StatementRelay wire;
  private final ServerProcess process;

  FaultyReplica(TestDatabase database, Path home) throws IOException {
    this.database = database;
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    wire = new StatementRelay(port);
    process =
        ServerProcess.start(
                PacedServer.class,
                home,
                ServerProcess.settings(
                    database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/")))
            .awaitReady();
  }

  StatementRelay wire() {
    return wire;
  }

  TestClient client() {
    return process.client();
  }

  void kill() {
    process.kill();
  }

  void stop() {
    signal("STOP");
  }

  /** Returns when its lease has lapsed: another replica has deleted it. */
  void awaitLapse() {
    Awaitility.await("the lease lapses").atMost(TIMEOUT).until(() -> !hasLease());
  }

  /**
   * Continues it, and returns when it has a lease and serves requests again. Requests in its
   * buffers and responses to it are processed now.
   */
  void goOn() {
    signal("CONT");
    wire.forwardAll();
    Awaitility.await("it goes on")
        .atMost(TIMEOUT)
        .ignoreExceptions()
        .until(() -> hasLease() && client().get("/ready", null).status() == 200);
  }

  /** Replicas are named by machine, process id and random digits. */
  private boolean hasLease() {
    return database
        .value("SELECT count(*) FROM replicas WHERE name LIKE '%-" + process.pid() + "-%'")
        .equals("1");
  }

  private void signal(String name) {
    try {
      process.signal(name);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    wire.cut();
    process.kill();
    process.close();
    wire.close();
  }
}
