package dev.muster.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Sends requests to agents through the proxy of one server, and reads their rows. */
public record ProxyClient(TestServer server, TestClient client) {

  public ProxyClient(TestServer server) {
    this(server, server.client());
  }

  /** Sends again while the server cannot tell, which a message's id makes safe (R7.3). */
  ProxyClient patient() {
    return new ProxyClient(server, client.patient());
  }

  /** A request that sends a message; single quotes stand for double ones. */
  public static String message(String id, String text) {
    return sending("{'messageId':'" + id + "','parts':[{'kind':'text','text':'" + text + "'}]}");
  }

  /** Single quotes stand for double ones. */
  static String sending(String message) {
    String request =
        "{'jsonrpc':'2.0','id':1,'method':'message/send','params':{'message':" + message + "}}";
    return request.replace('\'', '"');
  }

  static String path(UUID target) {
    return "/workspaces/" + target + "/a2a";
  }

  public Answer send(Agent to, @Nullable String token, String body, String... headers) {
    return client.post(path(to.id()), token, body, headers);
  }

  /** Returns the id of the row that the response names. */
  String sent(Agent to, String token, String body, String... headers) {
    Answer answer = patient().send(to, token, body, headers);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.field("activity_id");
  }

  /** Evaluates an SQL expression on a row. */
  String row(String activityId, String expression) {
    return StoredRows.value(server.database(), activityId, expression);
  }

  int rows(Agent of) {
    return Integer.parseInt(
        server
            .database()
            .value("SELECT count(*) FROM activity_logs WHERE workspace_id = '" + of.id() + "'"));
  }
}
