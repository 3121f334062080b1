package dev.muster.platform.postgres;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a primary and a standby, which replicates it, follows the primary (R12.1). */
@Slow
@Timeout(180)
class FailoverTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path folder = Path.of("");
  private EmbeddedDatabase primary;
  private EmbeddedDatabase standby;

  @BeforeEach
  void start() throws IOException {
    Path home = TestHomes.used(folder.resolve("primary"));
    primary = EmbeddedDatabase.start(MusterHome.open(home));
    Path second = TestHomes.used(folder.resolve("standby"));
    Path data = second.resolve("postgres/data");
    Files.createFile(data.resolve("standby.signal"));
    Files.writeString(
        data.resolve("postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s'%n"
            .formatted(port(primary), primary.user(), primary.password()),
        StandardOpenOption.APPEND);
    standby = EmbeddedDatabase.start(MusterHome.open(second));
  }

  @AfterEach
  void stop() {
    standby.close();
    primary.close();
  }

  private static int port(EmbeddedDatabase database) {
    return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
  }

  /** The url of a database at these hosts. */
  private TestDatabase at(String hosts) {
    return new TestDatabase(
        "jdbc:postgresql://%s/postgres?user=%s&password=%s"
            .formatted(hosts, primary.user(), primary.password()));
  }

  private TestDatabase at(int port) {
    return at("127.0.0.1:" + port);
  }

  private void awaitReplicated(Agent agent) {
    String find = "SELECT count(*) FROM workspaces WHERE id = '" + agent.id() + "'";
    await().atMost(SOON).ignoreExceptions().until(() -> at(port(standby)).value(find).equals("1"));
  }

  /** The standby comes first in the url. */
  @Test
  void writesToTheHostThatWasPromoted() {
    String hosts = "127.0.0.1:%d,127.0.0.1:%d".formatted(port(standby), port(primary));
    try (TestServer server = TestServer.startOn(at(hosts))) {
      TestClient client = server.client();
      Agent before = client.createOnline("Before");
      awaitReplicated(before);

      primary.close();
      assertThat(create(client)).isEqualTo(503);
      at(port(standby)).execute("SELECT pg_promote()");
      long promoted = System.nanoTime();
      await().atMost(SOON).until(() -> create(client) == 201);

      System.out.println(
          "writes after %d ms"
              .formatted(Duration.ofNanos(System.nanoTime() - promoted).toMillis()));
      assertThat(client.get("/workspaces/" + before.id(), before.token()).status()).isEqualTo(200);
    }
  }

  /** As with a name that leads to the standby for a while. */
  @Test
  void leavesAHostThatTakesNoWrites() throws IOException {
    try (TcpRelay relay = new TcpRelay(port(primary));
        // as in the product, no connection is closed because it is idle
        TestServer server =
            TestServer.startOn(at(relay.port()), "spring.datasource.hikari.minimum-idle=8")) {
      TestClient client = server.client();
      Agent agent = client.createOnline("Before");
      awaitReplicated(agent);
      relay.heal(port(standby));
      await()
          .atMost(SOON)
          .until(() ->
              client.get("/workspaces/" + agent.id(), agent.token()).status() == 200
                  && create(client) == 503);

      relay.lead(port(primary));

      await().atMost(SOON).until(() -> create(client) == 201);
    }
  }

  private static int create(TestClient client) {
    return client.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"After\"}").status();
  }
}
