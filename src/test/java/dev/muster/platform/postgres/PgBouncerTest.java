package dev.muster.platform.postgres;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.message.send.PushAgents;
import dev.muster.testing.EndWithJvm;
import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two replicas behind a PgBouncer in transaction mode with its default settings, which refuses
 * options of connections (R12.1). Where there is no {@code pgbouncer}, it is not run.
 */
@Slow
@Timeout(180)
class PgBouncerTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path folder = Path.of("");
  private final TestDatabase direct = TestDatabases.create();
  private final int port = FreePorts.next();
  private Process pooler;

  private static Path program() {
    return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of(""));
  }

  @BeforeEach
  void startPooler() throws Exception {
    assumeTrue(Files.isExecutable(program()), "no pgbouncer here");
    pooler = start();
  }

  @AfterEach
  void stopPooler() throws InterruptedException {
    if (pooler != null) {
      kill();
    }
  }

  private void kill() throws InterruptedException {
    pooler.destroyForcibly().waitFor();
  }

  private Process start() throws Exception {
    URI real = URI.create(direct.url().substring("jdbc:".length()));
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        """
        [databases]
        * = host=127.0.0.1 port=%d %s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 10
        max_client_conn = 500
        """
            .formatted(real.getPort(), real.getQuery().replace('&', ' '), port));
    List<String> command = new ArrayList<>();
    if (Files.getAttribute(folder, "unix:uid").equals(0)) {
      command.addAll(List.of("unshare", "-U")); // it refuses to run as root
    }
    command.addAll(List.of(program().toString(), settings.toString()));
    Process started =
        EndWithJvm.process(
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("pgbouncer.log").toFile())
                .start());
    await().atMost(SOON).until(this::isListening);
    return started;
  }

  private boolean isListening() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private TestServer startServer(String... settings) {
    return TestServer.startOn(
        new TestDatabase(direct.url().replaceFirst(":\\d+/", ":" + port + "/")), settings);
  }

  @Test
  void servesTwoReplicas() throws Exception {
    try (TestServer first = startServer("AGENT_URL_ALLOW=loopback");
        TestServer second = startServer("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start().usually(PeerBehavior.answer(200, "{\"result\":{}}"))) {
      TestClient client = first.client();
      assertThat(
              client
                  .get("/admin/operations", ADMIN_TOKEN)
                  .json()
                  .path("database")
                  .path("pooler")
                  .asBoolean())
          .isTrue();
      Agent caller = client.createOnline("Caller", "\"delivery_mode\":\"poll\"");
      Agent polling = client.createOnline("Polling", "\"delivery_mode\":\"poll\"");
      Agent pushed = new PushAgents(first).at(peer.url(), "\"parent_id\":\"" + caller.id() + "\"");

      assertThat(say(client, pushed).status()).isEqualTo(200);
      String task = "{\"target_id\":\"%s\",\"task\":\"count\"}".formatted(pushed.id());
      Answer delegated =
          client.post("/workspaces/" + caller.id() + "/delegate", caller.token(), task);
      await()
          .atMost(SOON)
          .until(() ->
              client
                  .get(
                      "/workspaces/%s/delegations/%s"
                          .formatted(caller.id(), delegated.field("delegation_id")),
                      caller.token())
                  .field("status")
                  .equals("completed"));

      CompletableFuture<Answer> held =
          CompletableFuture.supplyAsync(
              () ->
                  second
                      .client()
                      .get(
                          "/workspaces/%s/activity?wait=30".formatted(polling.id()),
                          polling.token()),
              Thread::startVirtualThread);
      await().until(() -> second.metrics().contains("muster_polls_waiting 1.0"));
      assertThat(say(client, polling).status()).isEqualTo(200);
      assertThat(held.get(20, TimeUnit.SECONDS).text()).contains("a2a_receive");
      assertThat(held.join().status()).isEqualTo(200);
    }
  }

  private static Answer say(TestClient client, Agent to) {
    return client.post(
        "/workspaces/" + to.id() + "/a2a",
        ADMIN_TOKEN,
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}");
  }

  @Test
  void goesOnWithAPoolerThatWasKilled() throws Exception {
    try (TestServer server = startServer()) {
      TestClient client = server.client();
      Agent agent = client.createOnline("Patient");
      kill();
      assertThat(client.heartbeatOnce(agent).status()).isEqualTo(503);

      pooler = start();

      await().atMost(SOON).until(() -> client.heartbeatOnce(agent).status() == 200);
    }
  }

  /** No connection has a time-out there. */
  @Test
  void cancelsAStatementThatTakesTooLong() throws Exception {
    try (TestServer server = startServer();
        Connection holder = direct.connect();
        Statement statement = holder.createStatement()) {
      Agent agent = server.client().createOnline("Locked");
      holder.setAutoCommit(false);
      statement.execute("LOCK TABLE workspaces");

      assertThat(server.client().get("/workspaces/" + agent.id(), ADMIN_TOKEN).status())
          .isEqualTo(503);

      String waiting =
          """
          SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query_start < '%s'
          """
              .formatted(direct.value("SELECT clock_timestamp()"));
      await().atMost(SOON).until(() -> direct.value(waiting), "0"::equals);
    }
  }

  @Test
  void keepsTheSnapshotOfATransactionToItself() {
    try (TestServer server = startServer()) {
      assertThat(server.client().get("/console/fleet", ADMIN_TOKEN).status()).isEqualTo(200);

      List<String> isolations =
          Stream.generate(() -> throughThePooler("SHOW transaction_isolation")).limit(20).toList();

      assertThat(isolations).containsOnly("read committed");
    }
  }

  private String throughThePooler(String sql) {
    return new TestDatabase(
            direct.url().replaceFirst(":\\d+/", ":" + port + "/") + "&prepareThreshold=0")
        .value(sql);
  }
}
