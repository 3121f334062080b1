package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The path of a request to a poll agent (R7.2, R7.4, R7.5). */
class PollDeliveryTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  @Test
  void storesTheNormalRequestAndAnswersWithItsRow() {
    Agent reviewer = CLIENT.create("Reviewer");
    String sent =
        "{\"method\":\"message/send\",\"id\":\"r-1\",\"params\":{\"priority\":1.50,\"message\":"
            + "{\"messageId\":\"m-1\",\"content\":\"hi\",\"metadata\":{\"delegation_id\":\"d-1\"}}}}";

    Answer answer = PROXY.send(reviewer, ADMIN_TOKEN, sent);

    String id = answer.field("activity_id");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).startsWith("application/json");
    assertThat(answer.text())
        .isEqualTo(
            "{\"status\":\"queued\",\"delivery_mode\":\"poll\",\"method\":\"message/send\","
                + "\"activity_id\":\""
                + UUID.fromString(id)
                + "\"}");
    assertThat(PROXY.row(id, "request_body"))
        .isEqualTo(
            "{\"jsonrpc\":\"2.0\",\"method\":\"message/send\",\"id\":\"r-1\",\"params\":"
                + "{\"priority\":1.50,\"message\":{\"messageId\":\"m-1\",\"metadata\":"
                + "{\"delegation_id\":\"d-1\",\"sender\":{\"workspace_id\":null,\"source\":"
                + "\"canvas_user\"}},\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":"
                + "\"hi\"}]}}}");
    assertThat(PROXY.row(id, "concat_ws('|', workspace_id, target_id, seq, activity_type, method)"))
        .isEqualTo("%1$s|%1$s|1|a2a_receive|message/send".formatted(reviewer.id()));
    assertThat(
            PROXY.row(
                id, "concat_ws('|', summary, status, message_id, delegation_id, message_text)"))
        .isEqualTo("message/send → Reviewer|ok|m-1|d-1|hi");
  }

  @Test
  void storesRequestsOfOtherMethodsAsTheyAre() {
    Agent agent = CLIENT.create("Other methods");
    String request =
        "{\"id\":1.0,\"jsonrpc\":\"2.0\",\"params\":{\"id\":\"t\",\"message\":{\"content\":\"x\"}},"
            + "\"method\":\"status/get\"}";

    String first = PROXY.sent(agent, ADMIN_TOKEN, request);
    String second = PROXY.sent(agent, ADMIN_TOKEN, request);

    assertThat(PROXY.row(first, "request_body")).isEqualTo(request);
    assertThat(PROXY.row(first, "summary")).isEqualTo("status/get → Other methods");
    assertThat(second).isNotEqualTo(first);
    assertThat(PROXY.row(second, "seq")).isEqualTo("2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"message/stream", "tasks/send", "GetWeather"})
  void answersWithTheMethodAsSent(String method) {
    Agent agent = CLIENT.create("Methods");
    String request = ProxyClient.message("m", "hi").replace("message/send", method);

    assertThat(PROXY.send(agent, ADMIN_TOKEN, request).field("method")).isEqualTo(method);
  }

  @Test
  void doesNotStoreAPeersRequestAsANotification() {
    Agent lead = CLIENT.create("Lead");
    Agent target = CLIENT.create("Target", "\"parent_id\":\"" + lead.id() + "\"");
    PROXY.send(target, lead.token(), "{\"method\":\"notify\"}");

    assertThat(
            CLIENT
                .get("/workspaces/" + target.id() + "/activity?source=canvas", ADMIN_TOKEN)
                .json())
        .isEmpty();
  }

  @Test
  void refusesTooManyParts() {
    Agent target = CLIENT.create("Target");
    String parts = "{},".repeat(10_000) + "{}";

    Answer answer =
        PROXY.send(
            target,
            ADMIN_TOKEN,
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[" + parts + "]}}}");

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.field("error")).contains("10001", "10000");
  }

  @Test
  void makesAnIdForAMessageWithoutOne() {
    Agent agent = CLIENT.create("Nameless");
    String request = ProxyClient.sending("{'content':'hi'}");

    String first = PROXY.sent(agent, ADMIN_TOKEN, request);
    String second = PROXY.sent(agent, ADMIN_TOKEN, request);

    String firstId = PROXY.row(first, "message_id");
    assertThat(UUID.fromString(firstId)).hasToString(firstId);
    assertThat(PROXY.row(first, "request_body #>> '{params,message,messageId}'"))
        .isEqualTo(firstId);
    assertThat(PROXY.row(second, "message_id")).isNotEqualTo(firstId);
    assertThat(PROXY.rows(agent)).isEqualTo(2);
  }

  @Test
  void reachesAnAgentOfAnyStatusButRemoved() {
    Agent agent = CLIENT.create("Resting");
    for (String change : List.of("awaiting_agent", "paused", "online")) {
      if (change.equals("paused")) {
        CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
      } else if (change.equals("online")) {
        CLIENT.post("/workspaces/" + agent.id() + "/resume", ADMIN_TOKEN, "");
        CLIENT.heartbeat(agent);
      }
      assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo(change);
      PROXY.sent(agent, ADMIN_TOKEN, ProxyClient.message(change, "hi"));
    }
    assertThat(PROXY.rows(agent)).isEqualTo(3);
  }

  /** The content type that curl sends by default. */
  @Test
  void acceptsABodyDeclaredAsAForm() {
    Agent agent = CLIENT.create("Form");

    PROXY.sent(
        agent,
        ADMIN_TOKEN,
        ProxyClient.message("m", "hi"),
        "Content-Type",
        "application/x-www-form-urlencoded");

    assertThat(PROXY.rows(agent)).isEqualTo(1);
  }

  @Test
  void reportsAStorageFailure() throws SQLException {
    Agent agent = CLIENT.create("Locked");
    PROXY.sent(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    try (Connection other = SERVER.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          "SELECT FROM activity_feeds WHERE workspace_id = '" + agent.id() + "' FOR UPDATE");

      Answer answer = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-2", "hi"));

      assertRefused(answer, 503, "UNAVAILABLE");
      assertThat(answer.header("Retry-After")).isEqualTo("5");
      other.rollback();
    }
    assertThat(PROXY.rows(agent)).isEqualTo(1);
    PROXY.sent(agent, ADMIN_TOKEN, ProxyClient.message("m-2", "hi"));
    assertThat(PROXY.rows(agent)).isEqualTo(2);
  }
}
