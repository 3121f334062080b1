package dev.muster.runtime;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Runs whose workspace goes offline or is removed while they run (R9.3). */
@Slow
class LostRunsTest {

  /** Sweeps every second. */
  private static final TestServer SERVER = TestServer.start("LIVENESS_SWEEP_INTERVAL_S=1");

  @AfterAll
  static void close() {
    SERVER.close();
  }

  private static final TestClient CLIENT = SERVER.client();
  private static final RuntimeStart START = new RuntimeStart("t", "r", "python");

  @Test
  void losesRunsOfAWorkspaceThatASweepTakesOffline() {
    TestStream stream = new TestStream(CLIENT, CLIENT.createOnline("silent"));
    TestStream other = new TestStream(CLIENT, CLIENT.createOnline("heard"));
    stream.add(new RuntimeStart("done", "r", "l"), new RuntimeEnd("done", 0, 1), START);
    other.add(START);

    makeStale(stream.agent());

    JsonNode runs = stream.runs("");
    assertThat(runs.findValuesAsString("status")).containsExactly("lost", "succeeded");
    assertThat(runs.path(0).path("ended_at").asString())
        .isGreaterThanOrEqualTo(runs.path(0).path("started_at").asString());
    assertThat(other.run().path("status").asString()).isEqualTo("running");
  }

  @Test
  void staysLostWhenTheAgentComesBackAndStoresLateEvents() {
    TestStream stream = new TestStream(CLIENT, CLIENT.createOnline("back"));
    stream.add(START, new RuntimeStdout("t", "before "));
    makeStale(stream.agent());
    CLIENT.heartbeat(stream.agent());
    assertThat(stream.run().path("status").asString()).isEqualTo("lost");

    stream.add(new RuntimeStdout("t", "after"), new RuntimeEnd("t", 0, 7));
    stream.add(START);

    JsonNode lost = stream.runs("").path(1);
    assertThat(lost.path("status").asString()).isEqualTo("lost");
    assertThat(lost.path("exit_code").asInt()).isZero();
    assertThat(lost.path("stdout").asString()).isEqualTo("before after");
    assertThat(stream.runs("").path(0).path("status").asString()).isEqualTo("running");
  }

  @Test
  void losesRunsOfARemovedWorkspaceAndAcceptsNoEvents() {
    TestStream stream = new TestStream(CLIENT, CLIENT.createOnline("removed"));
    stream.add(START, new RuntimeStdout("t", "x"));

    assertThat(CLIENT.delete(stream.path(""), ADMIN_TOKEN).status()).isEqualTo(200);

    String body = START.encode();
    for (String read : List.of("/runtime-runs", "/runtime-events")) {
      assertRefused(CLIENT.get(stream.path(read), ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
      assertRefused(CLIENT.get(stream.path(read), stream.agent().token()), 401, "UNAUTHENTICATED");
    }
    assertRefused(
        CLIENT.post(stream.path("/runtime-events"), ADMIN_TOKEN, body), 410, "WORKSPACE_REMOVED");
    assertRefused(stream.post(body), 401, "UNAUTHENTICATED");
    JsonNode runs =
        TestStream.rows(CLIENT.get(stream.path("/runtime-runs?include_removed=true"), ADMIN_TOKEN));
    assertThat(runs.path(0).path("status").asString()).isEqualTo("lost");
    assertThat(
            TestStream.rows(
                    CLIENT.get(stream.path("/runtime-events?include_removed=true"), ADMIN_TOKEN))
                .size())
        .isEqualTo(2);
  }

  /** In either order: an accepted start becomes a lost run, and a refused one does not exist. */
  @Test
  void leavesNoActiveRunInAWorkspaceRemovedMeanwhile() {
    for (int round = 0; round < 15; round++) {
      TestStream stream = new TestStream(CLIENT, CLIENT.createOnline("race " + round));
      List<Integer> statuses =
          Race.run(
              5,
              runner ->
                  runner == 0
                      ? CLIENT.delete(stream.path(""), ADMIN_TOKEN).status()
                      : stream.post(new RuntimeStart("t" + runner, "r", "l").encode()).status());
      long accepted = statuses.subList(1, 5).stream().filter(status -> status == 202).count();
      // a slow machine may not be able to tell (R0.6)
      long undecided = statuses.subList(1, 5).stream().filter(status -> status == 503).count();

      assertThat(statuses.subList(1, 5)).allMatch(List.of(202, 401, 410, 503)::contains);
      JsonNode runs =
          TestStream.rows(
              CLIENT.get(stream.path("/runtime-runs?include_removed=true"), ADMIN_TOKEN));
      assertThat((long) runs.size()).isBetween(accepted, accepted + undecided);
      List<String> left = new ArrayList<>(runs.findValuesAsString("status"));
      assertThat(left).allMatch("lost"::equals);
    }
  }

  /** Makes the last heartbeat old, so that a sweep of the server takes it offline. */
  private static void makeStale(Agent agent) {
    SERVER
        .database()
        .execute(
            """
            UPDATE control_plane_uptime SET up_since = now() - interval '1 day';
            UPDATE workspace_heartbeats SET last_heartbeat_at = now() - interval '4 minutes' WHERE workspace_id = '%s'
            """
                .formatted(agent.id()));
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> CLIENT.read(agent).path("status").asString().equals("offline"));
  }
}
