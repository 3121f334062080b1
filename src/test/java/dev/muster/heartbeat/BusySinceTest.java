package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Since when an agent is busy, and what ends that and its being stalled (R5.4). */
class BusySinceTest {

  private static final TestServer SERVER = IdleServer.SERVER;

  private final TestClient client = SERVER.client();

  /**
   * Steady heartbeats, with the workspace online and a low error rate, use another statement than
   * others.
   */
  @ParameterizedTest
  @ValueSource(strings = {"\"error_rate\":0", "\"error_rate\":0.9"})
  void isTheTimeOfTheFirstOfManyBusyHeartbeats(String health) {
    Agent agent = client.createOnline("busy");
    assertThat(busySince(agent)).isEqualTo("idle");

    client.heartbeat(agent, "\"active_tasks\":1", health);
    String first = busySince(agent);
    client.heartbeat(agent, "\"active_tasks\":3", health);
    client.heartbeat(agent, health);

    assertThat(first).isNotEqualTo("idle");
    assertThat(busySince(agent)).isEqualTo(first);
    stall(agent);
    client.heartbeat(agent, "\"active_tasks\":1", health);
    assertThat(client.read(agent).path("stalled").asBoolean()).isTrue();

    client.heartbeat(agent, "\"active_tasks\":0", health);

    assertThat(busySince(agent)).isEqualTo("idle");
    assertThat(client.read(agent).path("stalled").asBoolean()).isFalse();
    client.heartbeat(agent, "\"active_tasks\":1", health);
    assertThat(busySince(agent)).isGreaterThan(first);
  }

  @Test
  void isClearedByARegistration() {
    Agent agent = stalled("registers");

    client.post(
        "/registry/register", agent.token(), "{\"id\":\"" + agent.id() + "\",\"agent_card\":{}}");

    assertThat(busySince(agent)).isEqualTo("idle");
    assertThat(client.read(agent).path("stalled").asBoolean()).isFalse();
  }

  @Test
  void isClearedByAPause() {
    Agent agent = stalled("pauses");

    client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");

    assertThat(busySince(agent)).isEqualTo("idle");
    assertThat(client.read(agent).path("stalled").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"heartbeat", "registration"})
  void tellsTheEndOfAStallWithoutAnotherStatus(String end) {
    Agent agent = sweptStalled(end);
    String since = client.read(agent).path("stalled_since").asString();

    if (end.equals("heartbeat")) {
      client.heartbeat(agent, "\"active_tasks\":0");
    } else {
      client.post(
          "/registry/register", agent.token(), "{\"id\":\"" + agent.id() + "\",\"agent_card\":{}}");
    }
    assertThat(client.read(agent).path("stalled").asBoolean()).isFalse();
    assertThat(client.read(agent).path("stalled_since").isNull()).isTrue();
    SERVER.bean(StallSweep.class).run();
    SERVER.bean(StallSweep.class).run();

    JsonNode events = client.events(agent.id(), "WORKSPACE_STALL_ENDED");
    assertThat(events.size()).isEqualTo(1);
    JsonNode payload = events.path(0).path("payload");
    assertThat(payload.path("stalled_since").asString()).isEqualTo(since);
    assertThat(payload.path("status").asString()).isEqualTo("online");
  }

  @ParameterizedTest
  @ValueSource(strings = {"paused", "removed"})
  void leavesTheEndOfAStallToTheEventOfTheStatus(String status) {
    Agent agent = sweptStalled(status);

    if (status.equals("paused")) {
      client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    } else {
      client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    }
    SERVER.bean(StallSweep.class).run();

    JsonNode record =
        client.get("/workspaces/" + agent.id() + "?include_removed=true", ADMIN_TOKEN).json();
    assertThat(record.path("status").asString()).isEqualTo(status);
    assertThat(record.path("stalled_since").isNull()).isTrue();
    assertThat(client.events(agent.id(), "WORKSPACE_STALL_ENDED").size()).isZero();
    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT stalled_since IS NULL FROM workspace_heartbeats WHERE workspace_id = '"
                        + agent.id()
                        + "'"))
        .isEqualTo("t");
  }

  private Agent stalled(String name) {
    Agent agent = client.createOnline(name);
    client.heartbeat(agent, "\"active_tasks\":1");
    stall(agent);
    assertThat(client.read(agent).path("stalled").asBoolean()).isTrue();
    return agent;
  }

  /** Creates an agent that the sweep has marked. */
  private Agent sweptStalled(String name) {
    IdleServer.beUpForADay();
    Agent agent = client.createOnline(name);
    client.heartbeat(agent, "\"active_tasks\":1");
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET busy_since = now() - interval '1 hour' WHERE"
                + " workspace_id = '"
                + agent.id()
                + "'");
    SERVER.bean(StallSweep.class).run();
    assertThat(client.read(agent).path("stalled").asBoolean()).isTrue();
    return agent;
  }

  private static void stall(Agent agent) {
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET stalled = true WHERE workspace_id = '"
                + agent.id()
                + "'");
  }

  private static String busySince(Agent agent) {
    return SERVER
        .database()
        .value(
            "SELECT coalesce(busy_since::text, 'idle') FROM workspace_heartbeats WHERE workspace_id"
                + " = '"
                + agent.id()
                + "'");
  }
}
