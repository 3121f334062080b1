package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events of one replica reach the subscribers of the other, each once (R10.4). */
@Slow
@Timeout(120)
class StreamReplicaTest {

  private static final int WRITERS = 8;
  private static final int EACH = 60;

  private static final String KILL_LISTENERS =
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'muster-listener' AND datname = current_database()
      """;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final List<TestServer> SERVERS = new ArrayList<>();

  @BeforeAll
  static void start() {
    SERVERS.add(TestServer.startOn(DATABASE));
    SERVERS.add(TestServer.startOn(DATABASE));
  }

  @AfterAll
  static void stop() {
    SERVERS.forEach(TestServer::close);
  }

  @Test
  void everyEventReachesTheOtherReplicaOnceAlsoWhenItsListenersAreKilled() throws Exception {
    TestClient here = SERVERS.getFirst().client();
    TestClient there = SERVERS.getLast().client();
    List<Agent> agents = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      agents.add(here.create("writer" + i));
    }
    try (TestSocket socket = TestSocket.open(there, "/ws", ADMIN_TOKEN);
        TestEventStream stream = TestEventStream.open(there, "/events/stream", ADMIN_TOKEN)) {
      long before = head(there);
      Race.run(
          WRITERS + 1,
          runner -> {
            for (int i = 0; i < EACH; i++) {
              if (runner == WRITERS) {
                DATABASE.value(KILL_LISTENERS);
              } else {
                Agent own = agents.get(runner);
                TestClient replica = i % 2 == 0 ? here : there;
                replica.patch("/workspaces/" + own.id(), own.token(), "{\"x\":" + (i + 1) + "}");
              }
            }
            return runner;
          });
      List<Long> all = LongStream.rangeClosed(before + 1, head(there)).boxed().toList();
      assertThat(all).hasSize(WRITERS * EACH);
      Awaitility.await()
          .untilAsserted(() -> assertThat(after(before, socket.seqs())).isEqualTo(all));
      Awaitility.await()
          .untilAsserted(() -> assertThat(after(before, stream.ids())).isEqualTo(all));
    }
  }

  @Test
  void getsAnEventOfTheOtherReplicaByANotification() {
    TestClient here = SERVERS.getFirst().client();
    TestClient there = SERVERS.getLast().client();
    try (TestSocket socket = TestSocket.open(there, "/ws", ADMIN_TOKEN)) {
      Awaitility.await()
          .until(() ->
              DATABASE
                  .value(
                      "SELECT count(*) FROM pg_stat_activity WHERE application_name ="
                          + " 'muster-listener' AND datname = current_database()")
                  .equals("2"));
      List<Long> millis = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String name = "quick" + i;
        here.create(name);
        long start = System.nanoTime();
        socket.await(f -> f.path("payload").path("name").asString("").equals(name));
        millis.add(Duration.ofNanos(System.nanoTime() - start).toMillis());
      }
      // periodic reads alone would take half a second on average
      assertThat(millis.stream().sorted().toList().get(10)).isLessThan(400);
    }
  }

  @Test
  void sendsHeartbeatsOfTheOtherReplica() {
    TestClient here = SERVERS.getFirst().client();
    TestClient there = SERVERS.getLast().client();
    try (TestSocket socket = TestSocket.open(there, "/ws", ADMIN_TOKEN)) {
      Agent agent = here.createOnline("elsewhere");
      here.heartbeat(agent, "\"current_task\":\"far away\"");
      socket.await(f ->
          f.path("event").asString().equals("TASK_UPDATED")
              && f.path("payload").path("current_task").asString().equals("far away"));
    }
  }

  @Test
  void endsAStreamWhoseTokenIsRevokedOnTheOtherReplica() throws Exception {
    endsStreamsOn(agent -> {
      TestClient here = SERVERS.getFirst().client();
      String tokens = "/workspaces/" + agent.id() + "/tokens";
      String id = here.get(tokens, ADMIN_TOKEN).json().at("/tokens/0/id").asString();
      return tokens + "/" + id;
    });
  }

  @Test
  void endsAStreamWhoseWorkspaceIsRemovedOnTheOtherReplica() throws Exception {
    endsStreamsOn(agent -> "/workspaces/" + agent.id());
  }

  /** Deletes the resource that the function names at one replica; the streams are at the other. */
  private static void endsStreamsOn(Function<Agent, String> deleted) throws Exception {
    TestClient here = SERVERS.getFirst().client();
    TestClient there = SERVERS.getLast().client();
    Agent agent = here.create("revoked");
    try (TestSocket socket = TestSocket.open(there, "/ws", agent.token());
        TestEventStream stream =
            TestEventStream.open(
                there, "/workspaces/" + agent.id() + "/events/stream", agent.token());
        MachinePauses pauses = new MachinePauses()) {
      here.delete(deleted.apply(agent), ADMIN_TOKEN);
      long start = System.nanoTime();
      assertThat(socket.awaitClose(Duration.ofSeconds(15))).isEqualTo(1008);
      assertThat(stream.awaitEnd(Duration.ofSeconds(15))).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(Duration.ofSeconds(5).plus(pauses.longest()));
    }
  }

  private static List<Long> after(long seq, List<Long> seqs) {
    return seqs.stream().filter(one -> one > seq).toList();
  }

  private static long head(TestClient client) {
    return client.get("/events?limit=1", ADMIN_TOKEN).json().get(0).path("seq").asLong();
  }
}
