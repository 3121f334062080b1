package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** What the proxy leads to: the one url of a push agent, and the feed of a poll agent. */
  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "push | ONE 1.0, TWO 0.3            | PROXY 1.0",
        "push | TWO 0.3, ONE 1.0            | PROXY 1.0",
        "push | ONE 1.0, ONE 0.3, TWO 1.1   | PROXY 1.0, PROXY 0.3",
        "push | TWO 1.0                     | PROXY 1.0",
        "push | TWO 0.3                     | PROXY 0.3",
        "push |                             | PROXY 1.0",
        "poll | ONE 1.0, TWO 0.3            | PROXY 1.0, PROXY 0.3",
        "poll | TWO 0.3                     | PROXY 0.3",
        "poll |                             | PROXY 1.0"
      })
  void hasOnlyInterfacesThatTheProxyLeadsTo(
      String mode, @Nullable String interfaces, String expected) {
    String one = "http://127.0.0.1:9/one";
    String card =
        "{\"name\":\"R\",\"supportedInterfaces\":[{\"url\":\"%s\",\"protocolBinding\":\"GRPC\",\"protocolVersion\":\"1.0\"}%s]}"
            .formatted(
                one,
                interfaces == null
                    ? ""
                    : ("," + interfaces(interfaces))
                        .replace("ONE", one)
                        .replace("TWO", "http://127.0.0.1:9/two"));
    Agent agent =
        CLIENT.create(
            "Carded",
            "\"delivery_mode\":\"" + mode + "\"",
            "\"url\":\"" + one + "\"",
            "\"agent_card\":" + card);

    Answer answer = card(agent, ADMIN_TOKEN);

    assertThat(answer.text())
        .isEqualTo(
            "{\"name\":\"R\",\"supportedInterfaces\":["
                + interfaces(expected)
                    .replace("PROXY", CLIENT.baseUrl() + ProxyClient.path(agent.id()))
                + "]}");
  }

  private static String interfaces(String list) {
    return Stream.of(list.split(", "))
        .map(one -> one.split(" "))
        .map(one ->
            "{\"url\":\"%s\",\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"%s\"}"
                .formatted(one[0], one[1]))
        .collect(Collectors.joining(","));
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{}", "\"x\""})
  void takesOddInterfacesForNone(String odd) {
    Agent agent =
        withCard("{\"supportedInterfaces\":%s,\"additionalInterfaces\":%1$s}".formatted(odd));

    assertThat(card(agent, ADMIN_TOKEN).field("url"))
        .isEqualTo(CLIENT.baseUrl() + ProxyClient.path(agent.id()));
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "poll | {'streaming':true,'pushNotifications':true} |"
            + " {'streaming':false,'pushNotifications':true}",
        "poll | {'pushNotifications':true} | {'pushNotifications':true}",
        "poll | 7 | 7",
        "push | {'streaming':true} | {'streaming':true}"
      })
  void saysThatAPollAgentDoesNotStream(String mode, String capabilities, String shown) {
    String card =
        "{\"url\":\"http://127.0.0.1:9/\",\"capabilities\":%s}".formatted(json(capabilities));
    Agent agent =
        CLIENT.create("Streams", "\"delivery_mode\":\"" + mode + "\"", "\"agent_card\":" + card);

    assertThat(card(agent, ADMIN_TOKEN).json().path("capabilities").toString())
        .isEqualTo(json(shown));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @Test
  void leavesASignedCardAsItIs() {
    String signed =
        "{\"name\":\"S\", \"capabilities\":{\"streaming\":true},\"supportedInterfaces\":[],"
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

  private static Answer card(Agent agent, @Nullable String token) {
    return CLIENT.get("/workspaces/" + agent.id() + "/.well-known/agent-card.json", token);
  }
}
