package dev.muster.a2a;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Cards direct peers to the proxy, unless they are signed (R7.12). */
class AgentCardTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void namesTheProxyForBothVersions() {
    Agent agent =
        withCard(
            """
            {"name":"R","url":"http://10.0.0.1/a","preferredTransport":"GRPC","version":1.50,
             "additionalInterfaces":[{"url":"http://10.0.0.1/a","transport":"JSONRPC"},
                {"url":"http://10.0.0.1/g","transport":"GRPC"}],
             "supportedInterfaces":[{"url":"http://10.0.0.1/b","protocolBinding":"JSONRPC","protocolVersion":"1.0"},
                {"url":"http://10.0.0.1/h","protocolBinding":"HTTP+JSON"}],
             "skills":[{"id":"s"}],"signatures":[]}
            """);

    Answer answer = card(agent, ADMIN_TOKEN);

    String proxy = CLIENT.baseUrl() + ProxyClient.path(agent.id());
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"name":"R","url":"%1$s","preferredTransport":"JSONRPC","version":1.50,\
            "additionalInterfaces":[{"url":"%1$s","transport":"JSONRPC"}],\
            "supportedInterfaces":[{"url":"%1$s","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],\
            "skills":[{"id":"s"}],"signatures":[]}\
            """
                .formatted(proxy));
  }

  @Test
  void addsTheProxyAddressToACardWithoutOne() {
    Agent agent = withCard("{\"name\":\"Polls\"}");

    assertThat(card(agent, ADMIN_TOKEN).field("url"))
        .isEqualTo(CLIENT.baseUrl() + ProxyClient.path(agent.id()));
  }

  @Test
  void leavesASignedCardAsItIs() {
    String signed =
        "{\"name\":\"S\","
            + " \"url\":\"http://10.0.0.1/a\",\"signatures\":[{\"protected\":\"e\",\"signature\":\"s\"}]}";
    Agent agent = withCard(signed);

    assertThat(card(agent, ADMIN_TOKEN).text()).isEqualTo(signed);
  }

  @Test
  void isForPeers() {
    Agent agent = withCard("{\"name\":\"R\"}");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    Agent unrelated = CLIENT.create("Stranger");

    assertThat(card(agent, agent.token()).status()).isEqualTo(200);
    assertThat(card(agent, child.token()).status()).isEqualTo(200);
    assertRefused(card(agent, unrelated.token()), 403, "FORBIDDEN");
    assertRefused(card(agent, null), 401, "UNAUTHENTICATED");
    assertRefused(card(new Agent(UUID.randomUUID(), ""), ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
  }

  @Test
  void reportsAMissingCard() {
    assertRefused(card(CLIENT.create("Cardless"), ADMIN_TOKEN), 404, "NOT_FOUND");
  }

  private static Agent withCard(String card) {
    return CLIENT.create("Carded", "\"delivery_mode\":\"poll\"", "\"agent_card\":" + card);
  }

  private static Answer card(Agent agent, @org.jspecify.annotations.Nullable String token) {
    return CLIENT.get("/workspaces/" + agent.id() + "/.well-known/agent-card.json", token);
  }
}
