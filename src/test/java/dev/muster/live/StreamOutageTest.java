package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.event.LiveEvents;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Streams survive a database that does not answer for a while, and continue without a gap. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class StreamOutageTest {

  @TempDir Path folder;

  @Test
  void staysOpenAndContinuesWithoutAGap() throws Exception {
    try (MusterHome home = MusterHome.open(TestHomes.used(folder));
        EmbeddedDatabase postgres = EmbeddedDatabase.start(home);
        TcpRelay wire = new TcpRelay(port(postgres))) {
      try (TestServer server = TestServer.startOn(new TestDatabase(url(postgres, wire)));
          TestServer other = TestServer.startOn(new TestDatabase(url(postgres, port(postgres))))) {
        TestClient client = server.client();
        Agent agent = other.client().create("steady");
        try (TestSocket admin = TestSocket.open(client, "/ws?after=0", ADMIN_TOKEN);
            TestSocket own = TestSocket.open(client, "/ws?after=0", agent.token());
            TestSocket adminConsole = TestSocket.open(client, "/ws?view=console", ADMIN_TOKEN);
            TestSocket ownConsole = TestSocket.open(client, "/ws?view=console", agent.token())) {
          own.await("WORKSPACE_AWAITING_AGENT");
          wire.swallow();
          Awaitility.await()
              .atMost(Duration.ofSeconds(15))
              .until(() -> client.get("/ready", null).status() == 503);
          for (int x = 1; x <= 20; x++) {
            other.client().patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"x\":" + x + "}");
          }
          Refusals.assertRefused(
              client.get("/events/stream?after=0&cold", ADMIN_TOKEN, "Last-Event-ID", "999999"),
              503,
              "UNAVAILABLE");
          int live = publishLiveUntilItIsHeld(server.bean(LiveEvents.class), agent, admin, own);
          assertThat(own.seqs()).containsExactly(1L);
          awaitTicks(adminConsole, 1); // by then the credential of the other was checked, too
          int ticks = ticks(ownConsole);
          awaitTicks(adminConsole, 2); // the admin's needs no database
          assertThat(ticks(ownConsole)).isEqualTo(ticks);
          wire.heal(port(postgres));
          List<Long> all = LongStream.rangeClosed(1, 21).boxed().toList();
          for (TestSocket socket : List.of(admin, own)) {
            Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(socket.seqs()).isEqualTo(all));
            Awaitility.await()
                .untilAsserted(() ->
                    assertThat(live(socket)).isEqualTo(IntStream.range(0, live).boxed().toList()));
          }
          awaitTicks(ownConsole, 1);
        }
      }
    }
  }

  /**
   * Publishes live events until a stream whose token cannot be checked is 30 of them behind;
   * returns how many.
   */
  private static int publishLiveUntilItIsHeld(
      LiveEvents events, Agent agent, TestSocket admin, TestSocket own) {
    AtomicInteger published = new AtomicInteger();
    Awaitility.await()
        .atMost(Duration.ofSeconds(15))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> {
          int n = published.getAndIncrement();
          events.publish(
              List.of(
                  new LiveEvent(Kind.ACTIVITY_LOGGED, agent.id(), Instant.now(), Map.of("n", n))));
          admin.await(f -> f.path("payload").path("n").asInt(-1) == n);
          return n - live(own).size() >= 30;
        });
    return published.get();
  }

  /** The batches of a console's stream that say only that the server is there (R17.1). */
  private static int ticks(TestSocket console) {
    return (int)
        console.frames().stream()
            .filter(f -> f.has("events") && f.path("events").isEmpty())
            .count();
  }

  private static void awaitTicks(TestSocket console, int more) {
    int before = ticks(console);
    Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> ticks(console) >= before + more);
  }

  private static List<Integer> live(TestSocket socket) {
    return socket.frames().stream()
        .filter(f -> f.path("event").asString().equals("ACTIVITY_LOGGED"))
        .map(f -> f.path("payload").path("n").asInt())
        .toList();
  }

  private static int port(EmbeddedDatabase postgres) {
    return URI.create(postgres.jdbcUrl().substring("jdbc:".length())).getPort();
  }

  private static String url(EmbeddedDatabase postgres, TcpRelay wire) {
    return url(postgres, wire.port());
  }

  private static String url(EmbeddedDatabase postgres, int port) {
    return "%s?user=%s&password=%s"
        .formatted(
            postgres.jdbcUrl().replace(":" + port(postgres), ":" + port),
            postgres.user(),
            postgres.password());
  }
}
