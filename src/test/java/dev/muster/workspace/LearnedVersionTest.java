package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.identity.Caller;
import dev.muster.protocol.A2aVersion;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The version of A2A that deliveries learn about an agent. */
class LearnedVersionTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Workspaces WORKSPACES = SERVER.bean(Workspaces.class);

  @Test
  void reachesRememberedTargets() {
    Agent agent = CLIENT.create("Learns", "\"url\":\"http://127.0.0.1:9/\"");
    DeliveryTarget before = remembered(agent.id());
    assertThat(before.agentProtocol()).isNull();

    WORKSPACES.learned(agent.id(), A2aVersion.V1_0);

    DeliveryTarget after = remembered(agent.id());
    assertThat(after.agentProtocol()).isEqualTo(A2aVersion.V1_0);
    // targets that other replicas remember are outdated by it
    assertThat(after.version()).isGreaterThan(before.version());
  }

  @Test
  void changesNothingWhereItIsKnown() {
    Agent agent = CLIENT.create("Knows", "\"url\":\"http://127.0.0.1:9/\"");
    WORKSPACES.learned(agent.id(), A2aVersion.V0_3);
    String row = row(agent.id());

    WORKSPACES.learned(agent.id(), A2aVersion.V0_3);

    assertThat(row(agent.id())).isEqualTo(row);
  }

  @Test
  void isLostOnUnknownAndRemovedWorkspaces() {
    Agent agent = CLIENT.create("Removed", "\"url\":\"http://127.0.0.1:9/\"");
    assertThat(CLIENT.delete("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN).status())
        .isEqualTo(200);
    String row = row(agent.id());

    WORKSPACES.learned(agent.id(), A2aVersion.V1_0);
    WORKSPACES.learned(UUID.randomUUID(), A2aVersion.V1_0);

    assertThat(row(agent.id())).isEqualTo(row);
  }

  private static DeliveryTarget remembered(UUID id) {
    return WORKSPACES.rememberedTarget(id, new Caller.Admin());
  }

  /** The place of the row and all its columns: each write changes it. */
  private static String row(UUID id) {
    return SERVER
        .database()
        .value("SELECT ctid || w::text FROM workspaces w WHERE id = '%s'".formatted(id));
  }
}
