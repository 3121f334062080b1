package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers that no primitive type of Java can hold are out of range, never a 500 (R0.1). */
class HostileNumbersTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private static final List<String> NUMBERS =
      List.of(
          "1e400",
          "-1e400",
          "1e-400",
          "9".repeat(999),
          "-" + "9".repeat(999),
          "9".repeat(1001),
          "0." + "0".repeat(900) + "1",
          "1e999999999",
          "-1e999999999",
          "1e-999999999",
          "1e99999999999",
          "1e-99999999999",
          "9223372036854775808",
          "1.5");

  /** A method, a path, and a body in which {@code #} is the number. */
  private static final List<List<String>> ROUTES =
      List.of(
          List.of("POST", "/workspaces/{id}/a2a", sending("'priority':#,")),
          List.of("POST", "/workspaces/{id}/a2a", sending("'expires_in_seconds':#,")),
          List.of("POST", "/workspaces/{id}/a2a", "{'id':#,'method':'tasks/get','params':[#]}"),
          List.of(
              "POST",
              "/workspaces/{id}/delegate",
              "{'target_id':'{id}','task':'t','deadline_s':#}"),
          List.of(
              "POST",
              "/workspaces/{id}/runtime-events",
              runtimeEnd("'exit_code':#,'duration_ms':0")),
          List.of(
              "POST",
              "/workspaces/{id}/runtime-events",
              runtimeEnd("'exit_code':0,'duration_ms':#")),
          List.of(
              "POST",
              "/workspaces/{id}/activity",
              "{'activity_type':'agent_log','duration_ms':#,'response_body':#}"),
          List.of("POST", "/workspaces/{id}/activity/ack", "{'seq':#}"),
          List.of("POST", "/registry/heartbeat", "{'workspace_id':'{id}','error_rate':#}"),
          List.of("POST", "/registry/heartbeat", "{'workspace_id':'{id}','active_tasks':#}"),
          List.of("POST", "/registry/heartbeat", "{'workspace_id':'{id}','uptime_seconds':#}"),
          List.of(
              "POST",
              "/registry/heartbeat",
              "{'workspace_id':'{id}','runtime_metadata':{'idle_timeout_seconds':#}}"),
          List.of("POST", "/registry/register", "{'id':'{id}','agent_card':{'name':'a','n':#}}"),
          List.of(
              "POST",
              "/registry/update-card",
              "{'workspace_id':'{id}','agent_card':{'name':'a','n':#}}"),
          List.of("POST", "/workspaces", "{'name':'n','tier':#}"),
          List.of(
              "POST",
              "/workspaces",
              "{'name':'n','max_concurrent_tasks':#,'canvas':{'x':#,'y':#}}"),
          List.of("PATCH", "/workspaces/{id}", "{'x':#,'y':#}"),
          List.of("PATCH", "/workspaces/{id}", "{'tier':#,'max_concurrent_tasks':#}"));

  private static String sending(String member) {
    return "{'method':'message/send','params':{" + member + "'message':{'content':'hi'}}}";
  }

  private static String runtimeEnd(String members) {
    return "{'type':'RuntimeEnd','payload':{'task_name':'t'," + members + "}}";
  }

  static Stream<Arguments> routes() {
    return ROUTES.stream().map(route -> Arguments.of(route.get(0), route.get(1), route.get(2)));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void areNeverA500(String method, String path, String body) {
    Agent agent = waitedFor();
    for (String number : NUMBERS) {
      String sent = filled(body, agent.id()).replace("#", number);

      Answer answer = CLIENT.patient().send(method, filled(path, agent.id()), ADMIN_TOKEN, sent);

      assertThat(answer.status()).as("%s: %s", sent, answer.text()).isBetween(200, 499);
    }
  }

  @Test
  void areClampedInAMessageThatWaits() {
    for (String number : List.of("1e400", "9".repeat(999), "1e999999999")) {
      assertThat(waiting("'priority':" + number)).isEqualTo("100|86400");
      assertThat(waiting("'expires_in_seconds':" + number)).isEqualTo("50|86400");
    }
    for (String number : List.of("-1e400", "-" + "9".repeat(999), "1e-400", "-1e999999999")) {
      assertThat(waiting("'priority':" + number)).isEqualTo("0|86400");
      assertThat(waiting("'expires_in_seconds':" + number)).isEqualTo("50|1");
    }
  }

  /** A body with a number for the priority or for the seconds that a message may wait. */
  private static String waiting(String member) {
    Agent agent = waitedFor();

    Answer answer = PROXY.send(agent, ADMIN_TOKEN, filled(sending(member + ","), agent.id()));

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    // one that waits for a second only may have ended meanwhile
    return StoredRows.queue(
        SERVER.database(),
        agent.id(),
        "q.priority || '|' || extract(epoch FROM q.expires_at - q.enqueued_at)::int");
  }

  /** An agent that is never online, so that its messages wait. */
  private static Agent waitedFor() {
    return CLIENT.create(
        "Awaited", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
  }

  private static String filled(String template, UUID id) {
    return template.replace('\'', '"').replace("{id}", id.toString());
  }
}
