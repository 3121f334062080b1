package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.identity.Caller;
import dev.muster.protocol.A2aVersion;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The version of A2A that an agent speaks: as its card says, until a delivery learns another. */
class LearnedVersionTest {

  private static final String URL = "http://127.0.0.1:9/";

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
    assertThat(CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN).status()).isEqualTo(200);
    String row = row(agent.id());

    WORKSPACES.learned(agent.id(), A2aVersion.V1_0);
    WORKSPACES.learned(UUID.randomUUID(), A2aVersion.V1_0);

    assertThat(row(agent.id())).isEqualTo(row);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "create, 1.0",
    "register, 1.0",
    "register with the same card, 1.0",
    "patch the card, 1.0",
    "patch the same card, 0.3",
    "patch the url, 1.0",
    "patch the same url, 0.3",
    "patch the name, 0.3",
    "patch the card away, null",
    "update the card, 1.0",
    "update the same card, 0.3",
    "heartbeat with the card, 1.0",
    "heartbeat with the same card, 0.3",
    "heartbeat, 0.3"
  })
  void staysUntilTheCardSaysItAnew(String change, String version) {
    Agent agent = CLIENT.createOnline("Agent", "\"url\":\"" + URL + "\"", card("same"));
    assertThat(target(agent).agentProtocol()).isEqualTo(A2aVersion.V1_0);
    if (!change.equals("create")) {
      WORKSPACES.learned(agent.id(), A2aVersion.V0_3);
    }
    String card = card(change.contains("same") ? "same" : "other");
    String patch = "/workspaces/" + agent.id();

    Answer answer =
        switch (change) {
          case "register", "register with the same card" ->
              CLIENT.post(
                  "/registry/register",
                  agent.token(),
                  "{\"id\":\"%s\",%s}".formatted(agent.id(), card));
          case "patch the card", "patch the same card" ->
              CLIENT.patch(patch, ADMIN_TOKEN, "{" + card + "}");
          case "patch the card away" -> CLIENT.patch(patch, ADMIN_TOKEN, "{\"agent_card\":null}");
          case "patch the url" ->
              CLIENT.patch(patch, ADMIN_TOKEN, "{\"url\":\"http://127.0.0.1:9/other\"}");
          case "patch the same url" ->
              CLIENT.patch(patch, ADMIN_TOKEN, "{\"url\":\"" + URL + "\",\"x\":1}");
          case "patch the name" -> CLIENT.patch(patch, ADMIN_TOKEN, "{\"name\":\"Renamed\"}");
          case "update the card", "update the same card" ->
              CLIENT.post(
                  "/registry/update-card",
                  agent.token(),
                  "{\"workspace_id\":\"%s\",%s}".formatted(agent.id(), card));
          case "heartbeat with the card", "heartbeat with the same card" ->
              CLIENT.heartbeat(agent, card);
          default -> CLIENT.heartbeat(agent);
        };

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    A2aVersion known = target(agent).agentProtocol();
    assertThat(known == null ? "null" : known.wire()).isEqualTo(version);
    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT coalesce(agent_protocol, 'null') FROM api_workspace_delivery WHERE id = '%s'"
                        .formatted(agent.id())))
        .isEqualTo(version);
  }

  private static String card(String name) {
    return """
    "agent_card":{"name":"%s","supportedInterfaces":[
      {"url":"http://127.0.0.1:9/old","protocolBinding":"JSONRPC","protocolVersion":"0.3"},
      {"url":"%s","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}
    """
        .formatted(name, URL);
  }

  private static DeliveryTarget target(Agent agent) {
    return requireNonNull(WORKSPACES.targets(List.of(agent.id())).get(agent.id()));
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
