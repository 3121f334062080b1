package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Additional interfaces of a card are stored and shown, and the server never calls them. */
class CardInterfacesTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @Test
  void areNeverDialled() throws IOException {
    try (TestPeer agent = TestPeer.start();
        TestPeer bystander = TestPeer.start()) {
      Agent called = CLIENT.create("Called");
      Agent caller = CLIENT.create("Caller", "\"parent_id\":\"" + called.id() + "\"");
      String elsewhere = bystander.url();
      String card =
          """
          {"name":"Called","url":"%1$s","preferredTransport":"GRPC","provider":{"url":"%2$s"},
           "iconUrl":"%2$s","documentationUrl":"%2$s",
           "capabilities":{"extensions":[{"uri":"%2$s"}]},
           "additionalInterfaces":[{"url":"%2$s","transport":"JSONRPC"},{"url":"%2$s","transport":"GRPC"},
              {"url":"http://169.254.169.254/latest","transport":"JSONRPC"}],
           "supportedInterfaces":[{"url":"%2$s","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}
          """
              .formatted(agent.url(), elsewhere);
      String register =
          "{\"id\":\"%s\",\"delivery_mode\":\"push\",\"url\":\"%s\",\"agent_card\":%s}"
              .formatted(called.id(), agent.url(), card);

      assertThat(CLIENT.post("/registry/register", called.token(), register).status())
          .isEqualTo(200);
      String update = "{\"workspace_id\":\"%s\",\"agent_card\":%s}".formatted(called.id(), card);
      assertThat(CLIENT.post("/registry/update-card", called.token(), update).status())
          .isEqualTo(200);
      assertThat(CLIENT.heartbeat(called, "\"agent_card\":" + card).status()).isEqualTo(200);
      String one = "/workspaces/" + called.id();
      assertThat(CLIENT.get(one + "/.well-known/agent-card.json", caller.token()).status())
          .isEqualTo(200);
      assertThat(
              CLIENT
                  .get(
                      "/registry/discover/" + called.id(),
                      caller.token(),
                      "X-Workspace-ID",
                      caller.id().toString())
                  .field("url"))
          .isEqualTo(agent.url());
      Answer sent =
          CLIENT.post(
              one + "/a2a",
              caller.token(),
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":"
                  + "{\"messageId\":\"m\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}");
      assertThat(sent.status()).as(sent.text()).isEqualTo(200);
      String task = "{\"target_id\":\"%s\",\"task\":\"Do it.\"}".formatted(called.id());
      Answer delegated =
          CLIENT.post("/workspaces/" + caller.id() + "/delegate", caller.token(), task);
      assertThat(delegated.status()).as(delegated.text()).isLessThan(300);

      Awaitility.await().until(() -> agent.deliveries().size() >= 2);
      assertThat(bystander.connections()).isZero();
      assertThat(CLIENT.get(one, ADMIN_TOKEN).json().path("agent_card").toString())
          .contains(elsewhere);
    }
  }
}
