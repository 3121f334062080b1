package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Heartbeats against other writers of the status, many rounds on two replicas (R4.4). */
@Slow
@Tag("sql")
@Timeout(180)
class HeartbeatRaceTest {

  private static final int ROUNDS = Rounds.of(80, 320);
  private static final int AT_ONCE = 8;

  private static final TestServer REPLICA = TestServer.startOn(TestServer.shared().database());

  /** A change of a workspace while its agent sends heartbeats. */
  private interface StatusChange {
    Answer apply(TestClient client, Agent agent);
  }

  @AfterAll
  static void close() {
    REPLICA.close();
  }

  @Test
  void neverRevivesAPausedWorkspace() throws Exception {
    race(
        (client, agent) -> client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, ""),
        "paused",
        200);
  }

  @Test
  void neverRevivesARemovedWorkspace() throws Exception {
    race(
        (client, agent) -> client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN), "removed", 410);
  }

  /**
   * A sweep is a status change by another transaction that locks the row for a moment: the
   * heartbeat after it brings the workspace online again, with events in order.
   */
  @Test
  void comesBackOnlineAfterASweepWithAnEvent() throws Exception {
    race(
        (client, agent) -> {
          TestServer.shared()
              .database()
              .execute(
                  """
                  BEGIN;
                  SELECT status FROM workspace_heartbeats WHERE workspace_id = '%1$s' FOR UPDATE;
                  INSERT INTO events (id, event_type, workspace_id, payload, created_at)
                  SELECT gen_random_uuid(), 'WORKSPACE_OFFLINE', workspace_id,
                      json_build_object('status', 'offline', 'previous_status', status), clock_timestamp()
                  FROM workspace_heartbeats WHERE workspace_id = '%1$s';
                  UPDATE workspace_heartbeats SET status = 'offline', degraded_reason = NULL WHERE workspace_id = '%1$s';
                  COMMIT
                  """
                      .formatted(agent.id()));
          return client.get("/health", null);
        },
        "online",
        200);
  }

  private static void race(StatusChange change, String finalStatus, int laterStatus)
      throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<TestClient> clients =
          List.of(TestServer.shared().client().patient(), REPLICA.client().patient());
      for (int done = 0; done < ROUNDS; done += AT_ONCE) {
        List<Future<?>> rounds = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
          rounds.add(
              threads.submit(() -> round(clients, change, finalStatus, laterStatus, threads)));
        }
        for (Future<?> round : rounds) {
          round.get();
        }
      }
    }
  }

  private static Void round(
      List<TestClient> clients,
      StatusChange change,
      String finalStatus,
      int laterStatus,
      ExecutorService threads)
      throws Exception {
    TestClient beating = clients.get(0);
    TestClient changing = clients.get(1);
    Agent agent = beating.createOnline("racer");
    CountDownLatch start = new CountDownLatch(1);
    List<Future<Answer>> heartbeats = new ArrayList<>();
    for (String field :
        List.of("\"error_rate\":0", "\"error_rate\":0.9", "\"runtime_state\":\"wedged\"")) {
      heartbeats.add(
          threads.submit(() -> {
            start.await();
            return beating.heartbeat(agent, field);
          }));
    }
    start.countDown();
    assertThat(change.apply(changing, agent).status()).isEqualTo(200);
    Answer after = beating.heartbeat(agent, "\"error_rate\":0");
    assertThat(after.status()).isEqualTo(laterStatus);
    if (laterStatus == 200) {
      assertThat(after.field("workspace_status")).isIn(finalStatus, "degraded");
    }
    for (Future<Answer> heartbeat : heartbeats) {
      assertThat(heartbeat.get().status()).isIn(200, laterStatus);
    }
    Answer last = beating.heartbeat(agent, "\"error_rate\":0");
    if (laterStatus == 200) {
      assertThat(last.field("workspace_status")).isEqualTo(finalStatus);
    }
    assertEventsAreAChainTo(finalStatus, beating, agent);
    return null;
  }

  /**
   * Asserts that every event starts from the status that the event before it ended with: none is
   * missing, doubled or out of order.
   */
  private static void assertEventsAreAChainTo(String finalStatus, TestClient client, Agent agent) {
    JsonNode events = client.get("/events/" + agent.id() + "?after=0", ADMIN_TOKEN).json();
    String status = "null";
    for (JsonNode event : events) {
      assertThat(event.path("payload").path("previous_status").asString("null"))
          .as(events.toString())
          .isEqualTo(status);
      status = event.path("payload").path("status").asString();
    }
    assertThat(status).isEqualTo(finalStatus);
    String stored =
        client
            .get("/workspaces/" + agent.id() + "?include_removed=true", ADMIN_TOKEN)
            .field("status");
    assertThat(stored).isEqualTo(finalStatus);
  }
}
