package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The restart that an operator asks an agent for, and how it is heard (section 2, R4.1). */
class RestartTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  private final Agent agent = CLIENT.createOnline("Wedged");

  @Test
  void isInEveryHeartbeatAnswerUntilTheAgentRegistersAgain() {
    heartbeat(640);
    Answer asked = request("{\"reason\":\"its SDK hangs\"}");

    assertThat(asked.status()).isEqualTo(202);
    assertThat(asked.text()).isEqualTo("{\"status\":\"requested\"}");
    JsonNode event = CLIENT.events(agent.id(), "WORKSPACE_RESTART_REQUESTED").path(0);
    String at = event.at("/payload/restart_requested_at").asString();
    assertThat(event.at("/payload/reason").asString()).isEqualTo("its SDK hangs");
    assertThat(CLIENT.read(agent).path("restart_requested_at").asString()).isEqualTo(at);
    assertThat(heartbeat(670).field("restart_requested_at")).isEqualTo(at);
    assertThat(wedged(700).field("restart_requested_at")).isEqualTo(at);
    assertThat(wedged(730).field("restart_requested_at")).isEqualTo(at);
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("degraded");

    register();

    assertIsCleared();
    assertThat(CLIENT.heartbeat(agent).field("restart_requested_at")).isEmpty();
  }

  /** An agent that keeps its token need not register (R3.1). */
  @Test
  void endsWhenTheUptimeStartsOver() {
    heartbeat(640);
    request("");
    assertThat(heartbeat(640).field("restart_requested_at")).isNotEmpty();
    assertThat(CLIENT.heartbeat(agent).field("restart_requested_at")).isNotEmpty();

    assertThat(heartbeat(2).text()).isEqualTo(ONLINE);
    assertIsCleared();
  }

  @Test
  void endsWhenTheUptimeOfADegradedAgentStartsOver() {
    wedged(640);
    request("");

    assertThat(wedged(2).field("restart_requested_at")).isEmpty();
    assertIsCleared();
  }

  /** Some agents send 0 at the start and the end of each task. */
  @Test
  void isNotEndedByAnUptimeOfZeroInTheMiddleOfALife() {
    heartbeat(640);
    request("");

    assertThat(heartbeat(0).field("restart_requested_at")).isNotEmpty();
    assertThat(wedged(0).field("restart_requested_at")).isNotEmpty();
    assertThat(CLIENT.heartbeat(agent, "\"uptime_seconds\":0.9").field("restart_requested_at"))
        .isNotEmpty();
    assertThat(CLIENT.read(agent).path("uptime_seconds").asLong()).isEqualTo(640);
    assertThat(heartbeat(3).field("restart_requested_at")).isEmpty();
    assertThat(CLIENT.read(agent).path("uptime_seconds").asLong()).isEqualTo(3);
  }

  @Test
  void showsTheUptimeZeroAfterARegistration() {
    heartbeat(640);
    register();
    assertThat(CLIENT.read(agent).path("uptime_seconds").asLong(-1)).isZero();

    heartbeat(0);
    assertThat(CLIENT.read(agent).path("uptime_seconds").asLong(-1)).isZero();

    // the process before it may have been up for longer
    request("");
    assertThat(heartbeat(5).field("restart_requested_at")).isNotEmpty();
    assertThat(CLIENT.read(agent).path("uptime_seconds").asLong()).isEqualTo(5);
  }

  /** A retry of a heartbeat may overtake the next one; the process is the same. */
  @Test
  void isNotEndedByALateHeartbeatOfTheSameProcess() {
    heartbeat(640);
    request("");

    assertThat(heartbeat(610).field("restart_requested_at")).isNotEmpty();
    assertThat(heartbeat(610).field("restart_requested_at")).isNotEmpty();
  }

  private static final String ONLINE =
      "{\"status\":\"ok\",\"workspace_status\":\"online\",\"heartbeat_interval_s\":30,\"stale_after_s\":180,\"long_poll_max_s\":60}";

  @Test
  void isAbsentWithoutARequest() {
    assertThat(heartbeat(640).text()).isEqualTo(ONLINE);
    assertThat(CLIENT.read(agent).has("restart_requested_at")).isFalse();
  }

  @Test
  void canBeWithdrawnOnce() {
    request("{}");

    Answer withdrawn = CLIENT.delete(path(), agent.token());
    assertThat(withdrawn.status()).isEqualTo(200);
    assertThat(withdrawn.text()).isEqualTo("{\"status\":\"withdrawn\"}");
    assertIsCleared();
    JsonNode event = CLIENT.events(agent.id(), "WORKSPACE_UPDATED").path(0);
    assertThat(event.path("payload").toString()).isEqualTo("{\"restart_requested_at\":null}");

    assertRefused(CLIENT.delete(path(), ADMIN_TOKEN), 409, "WRONG_STATE");
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_UPDATED").size()).isEqualTo(1);
  }

  @Test
  void isReplacedByALaterRequest() {
    request("{}");
    Instant first = Instant.parse(CLIENT.heartbeat(agent).field("restart_requested_at"));
    request("{}");

    assertThat(Instant.parse(CLIENT.heartbeat(agent).field("restart_requested_at"))).isAfter(first);
  }

  /** Canvases send fields that the server does not know (R0.1). */
  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"reason\":null}", "{\"force\":true,\"reason\":\" \"}"})
  void takesAnyBodyThatIsAnObjectAndNone(String body) {
    assertThat(request(body).status()).isEqualTo(202);
    assertThat(
            CLIENT
                .events(agent.id(), "WORKSPACE_RESTART_REQUESTED")
                .path(0)
                .path("payload")
                .has("reason"))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "now", "{\"reason\":7}", "{"})
  void refusesAnotherBody(String body) {
    assertRefused(request(body), 400, "VALIDATION_FAILED");
    assertIsCleared();
  }

  @Test
  void keepsAReasonOfFiveHundredCharacters() {
    request("{\"reason\":\"" + "é".repeat(600) + "\"}");

    assertThat(
            CLIENT
                .events(agent.id(), "WORKSPACE_RESTART_REQUESTED")
                .path(0)
                .at("/payload/reason")
                .asString())
        .isEqualTo("é".repeat(500));
  }

  @Test
  void isKeptByAPauseAndEndedByTheRemoval() {
    request("{}");
    CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    assertThat(CLIENT.heartbeat(agent).field("restart_requested_at")).isNotEmpty();

    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    assertRefused(CLIENT.post(path(), ADMIN_TOKEN, "{}"), 410, "WORKSPACE_REMOVED");
    assertRefused(CLIENT.delete(path(), ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
    assertThat(
            CLIENT
                .get("/workspaces/" + agent.id() + "?include_removed=true", ADMIN_TOKEN)
                .json()
                .has("restart_requested_at"))
        .isFalse();
  }

  @Test
  void isNotShownToPeers() {
    Agent child = CLIENT.createOnline("Child", "\"parent_id\":\"" + agent.id() + "\"");
    request("{}");

    Answer seen = CLIENT.get("/workspaces/" + agent.id(), child.token());
    assertThat(seen.status()).isEqualTo(200);
    assertThat(seen.json().has("restart_requested_at")).isFalse();
    assertRefused(CLIENT.post(path(), child.token(), "{}"), 403, "FORBIDDEN");
  }

  /** Each answer is as new as its commit: every heartbeat after the request has it (R4.4). */
  @Test
  void isMissedByNoHeartbeatThatComesAfterIt() throws Exception {
    try (TestServer replica = TestServer.startOn(SERVER.database())) {
      for (int round = 0; round < 20; round++) {
        Agent racer = CLIENT.createOnline("Racer");
        List<Answer> answers =
            Race.run(
                7,
                runner -> {
                  if (runner == 0) {
                    replica
                        .client()
                        .post("/workspaces/" + racer.id() + "/restart", ADMIN_TOKEN, "{}");
                  }
                  return CLIENT.heartbeat(racer, "\"uptime_seconds\":" + (640 + runner));
                });

        assertThat(answers).allMatch(answer -> answer.status() == 200);
        assertThat(answers.getFirst().field("restart_requested_at")).isNotEmpty();
        assertThat(CLIENT.heartbeat(racer).field("restart_requested_at")).isNotEmpty();
      }
    }
  }

  private void assertIsCleared() {
    assertThat(CLIENT.read(agent).has("restart_requested_at")).isFalse();
    assertThat(CLIENT.heartbeat(agent).field("restart_requested_at")).isEmpty();
  }

  private Answer request(String body) {
    return CLIENT.post(path(), ADMIN_TOKEN, body);
  }

  private String path() {
    return "/workspaces/" + agent.id() + "/restart";
  }

  private Answer heartbeat(int uptime) {
    return CLIENT.heartbeat(agent, "\"uptime_seconds\":" + uptime);
  }

  private Answer wedged(int uptime) {
    return CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\",\"uptime_seconds\":" + uptime);
  }

  private void register() {
    Answer answer =
        CLIENT.post(
            "/registry/register",
            agent.token(),
            "{\"id\":\"" + agent.id() + "\",\"agent_card\":{}}");
    assertThat(answer.status()).isEqualTo(200);
  }
}
