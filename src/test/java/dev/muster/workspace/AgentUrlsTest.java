package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Forbidden addresses are refused wherever a request names an agent's url (R3.3); loopback is
 * allowed here.
 */
class AgentUrlsTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @ParameterizedTest(name = "{0} is refused as {1}")
  @CsvSource({
    "http://0.0.0.0/, unspecified, 0.0.0.0",
    "http://0.1.2.3/, unspecified, 0.1.2.3",
    "http://[::]/, unspecified, ::",
    "http://169.254.169.254/latest/meta-data, link-local, 169.254",
    "http://[fe80::1]/, link-local, fe80",
    "http://10.1.2.3:8080/, private, 10.1.2.3",
    "http://172.16.0.1/, private, 172.16",
    "http://172.31.255.255/, private, 172.31",
    "https://192.168.1.1/, private, 192.168",
    "http://[fd12:3456::1]/, private, fd12",
    "http://[fc00::1]/, private, fc00",
    "http://100.64.0.1/, cgnat, 100.64",
    "http://100.127.255.254/, cgnat, 100.127",
    "http://224.0.0.1/, multicast, 224.0",
    "http://[ff02::1]/, multicast, ff02",
    "http://192.0.2.1/, documentation, 192.0.2",
    "http://198.51.100.7/, documentation, 198.51",
    "http://203.0.113.9/, documentation, 203.0",
    "http://[2001:db8::1]/, documentation, db8",
    "http://198.18.0.1/, benchmark, 198.18",
    "http://240.0.0.1/, reserved, 240.0",
    "http://[::ffff:10.0.0.1]/, private, 10.0",
    "http://[::ffff:a9fe:a9fe]/, link-local, a9fe",
    "http://[64:ff9b::10.0.0.1]/, private, 10.0",
    "http://[64:ff9b::a9fe:a9fe]/, link-local, a9fe",
  })
  void refusesByLabelAndNeverByAddress(String url, String label, String address) {
    for (Answer answer : answersTo(url)) {
      assertRefused(answer, 400);
      assertThat(answer.field("error")).contains(label);
      assertThat(withoutRequestId(answer)).doesNotContain(address, url);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/",
        "javascript:alert(1)",
        "127.0.0.1:9",
        "//127.0.0.1/",
        "http://",
        "http:///path",
        "http://user:secret@127.0.0.1/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://no-such-host.invalid/"
      })
  void refusesUrlsThatAreNotPlainHttp(String url) {
    Agent agent = CLIENT.create("Url");

    Answer created =
        CLIENT.post(
            "/workspaces",
            ADMIN_TOKEN,
            "{\"name\":\"Url\",\"delivery_mode\":\"push\",\"url\":\"" + url + "\"}");
    Answer registered =
        CLIENT.post(
            "/registry/register",
            agent.token(),
            "{\"id\":\"%s\",\"agent_card\":{},\"delivery_mode\":\"push\",\"url\":\"%s\"}"
                .formatted(agent.id(), url));

    for (Answer answer : new Answer[] {created, registered}) {
      assertRefused(answer, 400);
      assertThat(answer.text()).doesNotContain("secret", "passwd", "127.0.0.1");
    }
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:9/",
        "HTTPS://127.0.0.1/a?b=c",
        "http://[::1]:9/",
        "http://[::ffff:127.0.0.1]/",
        "http://93.184.216.34/",
        "https://[2606:2800:220:1:248:1893:25c8:1946]/"
      })
  void storesAllowedUrlsUnchanged(String url) {
    Agent agent = CLIENT.create("Url", "\"url\":\"" + url + "\"");

    assertThat(CLIENT.read(agent).path("url").asString()).isEqualTo(url);
    assertThat(CLIENT.read(agent).path("delivery_mode").asString()).isEqualTo("push");
  }

  @Test
  void doesNotCheckTheCardOfAPollAgent() {
    Agent agent =
        CLIENT.create(
            "Polls", "\"delivery_mode\":\"poll\"", "\"agent_card\":{\"url\":\"http://10.0.0.1/\"}");
    String card = "\"agent_card\":{\"url\":\"http://169.254.169.254/\"}";

    assertThat(CLIENT.heartbeat(agent, card).status()).isEqualTo(200);
    assertThat(CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{" + card + "}").status())
        .isEqualTo(200);
    assertThat(
            CLIENT
                .post(
                    "/registry/register",
                    agent.token(),
                    "{\"id\":\"" + agent.id() + "\",\"url\":\"http://10.0.0.1/\"," + card + "}")
                .status())
        .isEqualTo(200);
    assertThat(CLIENT.read(agent).path("url").asString("missing")).isEmpty();
  }

  @Test
  void checksTheCardAtAChangeToPush() {
    Agent agent =
        CLIENT.create(
            "Polls", "\"delivery_mode\":\"poll\"", "\"agent_card\":{\"url\":\"http://10.0.0.1/\"}");

    Answer answer =
        CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"push\"}");

    assertRefused(answer, 400);
    assertThat(answer.text()).contains("private").doesNotContain("10.0");
    assertThat(CLIENT.read(agent).path("delivery_mode").asString()).isEqualTo("poll");
  }

  /** The id is random hexadecimal digits, which may contain any short address. */
  private static String withoutRequestId(Answer answer) {
    return answer.text().replace(answer.field("request_id"), "");
  }

  /** Sends the url in each place where a push workspace can have one; none may change anything. */
  private static Answer[] answersTo(String url) {
    Agent agent = CLIENT.createOnline("Push", "\"url\":\"http://127.0.0.1:9/\"");
    JsonNode before = CLIENT.read(agent);
    UUID id = UUID.randomUUID();
    String field = "\"url\":\"" + url + "\"";
    String card = "\"agent_card\":{" + field + "}";
    String newCard =
        "\"agent_card\":{\"supportedInterfaces\":[{\"protocolBinding\":\"GRPC\",\"url\":\"x\"},"
            + "{\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\","
            + field
            + "}]}";
    String additional =
        "\"agent_card\":{\"preferredTransport\":\"GRPC\",\"url\":\"http://127.0.0.1:9/\","
            + "\"additionalInterfaces\":[{\"transport\":\"JSONRPC\","
            + field
            + "}]}";
    String path = "/workspaces/" + agent.id();
    String register = "{\"id\":\"%s\",\"delivery_mode\":\"push\",%s}";
    Answer[] answers = {
      CLIENT.post(
          "/workspaces", ADMIN_TOKEN, "{\"name\":\"Push\",\"id\":\"%s\",%s}".formatted(id, field)),
      CLIENT.post(
          "/workspaces",
          ADMIN_TOKEN,
          "{\"name\":\"Push\",\"id\":\"%s\",\"delivery_mode\":\"push\",%s}".formatted(id, card)),
      CLIENT.post("/registry/register", null, register.formatted(id, field + ",\"agent_card\":{}")),
      CLIENT.post(
          "/workspaces",
          ADMIN_TOKEN,
          "{\"name\":\"Push\",\"id\":\"%s\",%s}".formatted(id, newCard)),
      CLIENT.post("/registry/register", null, register.formatted(id, card)),
      CLIENT.post("/registry/register", null, register.formatted(id, newCard)),
      CLIENT.post("/registry/register", null, register.formatted(id, additional)),
      CLIENT.post("/registry/register", null, "{\"id\":\"%s\",%s}".formatted(id, additional)),
      CLIENT.post("/registry/register", agent.token(), register.formatted(agent.id(), card)),
      CLIENT.patch(path, ADMIN_TOKEN, "{" + field + "}"),
      CLIENT.patch(path, ADMIN_TOKEN, "{" + card + "}"),
      CLIENT.patch(path, ADMIN_TOKEN, "{" + newCard + "}"),
      CLIENT.post(
          "/registry/update-card",
          agent.token(),
          "{\"workspace_id\":\"%s\",%s}".formatted(agent.id(), card)),
      CLIENT.heartbeat(agent, card),
      CLIENT.heartbeat(agent, additional)
    };
    assertThat(CLIENT.read(agent)).isEqualTo(before);
    assertThat(CLIENT.get("/workspaces/" + id, ADMIN_TOKEN).status()).isEqualTo(404);
    return answers;
  }
}
