package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With a configured database, anonymous registration is refused and no agent's url may be on
 * loopback (R3.1, R3.3).
 */
@Slow
class ClosedRegistrationTest {

  private static final int CALLERS = Rounds.of(2_000, 10_000);
  private static final int AT_ONCE = 250;

  private static final TestServer SERVER = TestServer.start("RATE_LIMIT=0");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void createsNothingForThousandsOfAnonymousCallers() {
    String before = rows();

    List<Boolean> refused =
        Race.run(
            AT_ONCE,
            i -> {
              for (int n = 0; n < CALLERS / AT_ONCE; n++) {
                Answer answer = register(UUID.randomUUID(), null);
                if (answer.status() != 401 || answer.text().contains("auth_token")) {
                  throw new AssertionError(answer.toString());
                }
              }
              return true;
            });

    assertThat(refused).hasSize(AT_ONCE).containsOnly(true);
    assertThat(rows()).isEqualTo(before);
  }

  @Test
  void refusesAnAnonymousCallerWithAnyId() {
    Agent agent = CLIENT.create("Never registered");
    Agent removed = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    for (UUID id : List.of(UUID.randomUUID(), agent.id(), removed.id())) {
      assertRefused(register(id, null), 401, "UNAUTHENTICATED");
    }
    assertRefused(
        CLIENT.post("/registry/register", null, "no json at all"), 401, "UNAUTHENTICATED");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  @Test
  void admitsCallersWithACredential() {
    Agent agent = CLIENT.create("Known");
    Agent other = CLIENT.create("Other");
    Agent removed = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    assertThat(register(agent.id(), agent.token()).status()).isEqualTo(200);
    Answer known = register(agent.id(), ADMIN_TOKEN);
    assertThat(known.status()).isEqualTo(200);
    assertThat(known.text()).doesNotContain("auth_token");
    UUID unknown = UUID.randomUUID();
    Answer created = register(unknown, ADMIN_TOKEN);
    assertThat(created.status()).isEqualTo(200);
    assertThat(CLIENT.heartbeat(new Agent(unknown, created.field("auth_token"))).status())
        .isEqualTo(200);
    assertRefused(register(agent.id(), other.token()), 403, "FORBIDDEN");
    assertRefused(register(agent.id(), "x".repeat(43)), 401, "UNAUTHENTICATED");
    assertRefused(register(removed.id(), removed.token()), 410, "WORKSPACE_REMOVED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:9/",
        "https://127.8.7.6/",
        "http://[::1]:9/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://localhost:9/"
      })
  void refusesUrlsOfTheMachineItself(String url) {
    Answer answer =
        CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Local\",\"url\":\"" + url + "\"}");

    assertRefused(answer, 400);
    assertThat(answer.field("error")).contains("loopback").doesNotContain("127", "::1", "7f00");
  }

  @Test
  void refusesAnonymousReadsOfAWorkspace() {
    Agent agent = CLIENT.create("Private");

    assertRefused(CLIENT.get("/workspaces/" + agent.id(), null), 401, "UNAUTHENTICATED");
    assertRefused(
        CLIENT.get("/workspaces/" + agent.id() + "?include_removed=true", null),
        401,
        "UNAUTHENTICATED");
  }

  private static Answer register(UUID id, @Nullable String token) {
    return CLIENT.post(
        "/registry/register", token, "{\"id\":\"" + id + "\",\"agent_card\":{\"name\":\"x\"}}");
  }

  private static String rows() {
    return SERVER
        .database()
        .value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM workspaces), (SELECT count(*) FROM workspace_heartbeats),
                (SELECT count(*) FROM workspace_tokens), (SELECT count(*) FROM events))
            """);
  }
}
