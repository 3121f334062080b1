package dev.muster.identity;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A revoked token stops working on every replica within 5 s (R1.6). */
@Slow
class RevocationTest {

  private static final Duration REACH = Duration.ofSeconds(5);

  private static final TestServer HERE = TestServer.shared();
  private static final TestServer ELSEWHERE =
      TestServer.startOn(HERE.database(), "REGISTRATION=open");

  private final TestClient here = HERE.client();
  private final TestClient elsewhere = ELSEWHERE.client();

  @AfterAll
  static void close() {
    ELSEWHERE.close();
  }

  @Test
  void reachesAReplicaThatKnowsTheToken() throws Exception {
    Agent agent = here.create("Revoked");
    assertThat(elsewhere.heartbeat(agent).status()).isEqualTo(200);
    assertThat(here.heartbeat(agent).status()).isEqualTo(200);
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    String id = here.get(tokens, ADMIN_TOKEN).json().path("tokens").path(0).path("id").asString();

    assertThat(here.delete(tokens + "/" + id, ADMIN_TOKEN).status()).isEqualTo(200);

    assertThat(here.heartbeat(agent).status()).isEqualTo(401);
    MachinePauses.awaitWithin(
        REACH,
        () -> elsewhere.heartbeat(agent).status() == 401 && read(elsewhere, agent).status() == 401);
    assertThat(here.heartbeat(agent).status()).isEqualTo(401);
  }

  /** Whether a token was ever used decides whether a registration is still open (R3.1). */
  @Test
  void isNotMarkedAsUsedAfterItsRevocation() {
    Agent agent = here.create("Never used");
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    String id = here.get(tokens, ADMIN_TOKEN).json().at("/tokens/0/id").asString();
    assertThat(here.delete(tokens + "/" + id, ADMIN_TOKEN).status()).isEqualTo(200);

    assertThat(here.heartbeat(agent).status()).isEqualTo(401);
    assertThat(elsewhere.heartbeat(agent).status()).isEqualTo(401);

    assertThat(
            HERE.database()
                .value("SELECT last_used_at FROM workspace_tokens WHERE id = '" + id + "'"))
        .isEqualTo("null");
  }

  @Test
  void reachesAReplicaWhenTheWorkspaceIsRemoved() throws Exception {
    Agent agent = here.create("Removed");
    assertThat(elsewhere.heartbeat(agent).status()).isEqualTo(200);

    assertThat(here.delete("/workspaces/" + agent.id(), ADMIN_TOKEN).status()).isEqualTo(200);

    // the heartbeat is refused at once; the token counts as one of a removed workspace within 5 s
    assertThat(elsewhere.heartbeat(agent).status()).isEqualTo(410);
    assertThat(here.get("/workspaces/" + agent.id() + "/tokens", agent.token()).status())
        .isEqualTo(401);
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    MachinePauses.awaitWithin(REACH, () -> elsewhere.get(tokens, agent.token()).status() == 401);
    assertThat(read(elsewhere, agent).status()).isEqualTo(410);
  }

  @Test
  void letsANewTokenWorkOnEveryReplicaAtOnce() {
    Agent agent = here.create("New");
    assertThat(read(elsewhere, new Agent(agent.id(), "y".repeat(43))).status()).isEqualTo(401);

    String minted =
        here.post("/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN, "").field("auth_token");

    assertThat(read(elsewhere, agent).status()).isEqualTo(200);
    assertThat(read(elsewhere, new Agent(agent.id(), minted)).status()).isEqualTo(200);
  }

  private static Answer read(TestClient client, Agent agent) {
    return client.get("/workspaces/" + agent.id(), agent.token());
  }
}
