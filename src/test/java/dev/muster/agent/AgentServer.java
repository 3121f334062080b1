package dev.muster.agent;

import dev.muster.testing.SharedResources;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/**
 * The server of the library's tests: it allows anonymous registration and a heartbeat every second.
 */
final class AgentServer {

  static final TestServer SERVER =
      TestServer.start("REGISTRATION=open", "AGENT_URL_ALLOW=loopback", "HEARTBEAT_INTERVAL_S=1");
  static final TestClient CLIENT = SERVER.client();

  static {
    SharedResources.run(SERVER::close);
  }

  private AgentServer() {}

  static AgentClient client(Agent agent) {
    return clientAt(SERVER.port(), agent);
  }

  /** A client that connects to a relay, or to a peer that plays the server. */
  static AgentClient clientAt(int port, Agent agent) {
    return AgentClient.builder("http://127.0.0.1:" + port, agent.id().toString())
        .token(agent.token())
        .build();
  }

  static String status(Agent agent) {
    return CLIENT.read(agent).path("status").asString();
  }

  /** Waits until the agent has acknowledged all its messages, answers included. */
  static void awaitAcknowledged(Agent agent) {
    String all =
        "SELECT last_acked_seq = (SELECT max(seq) FROM activity_logs WHERE workspace_id ="
            + " f.workspace_id AND activity_type = 'a2a_receive' AND source <> 'self') FROM"
            + " activity_feeds f WHERE workspace_id = '"
            + agent.id()
            + "'";
    Awaitility.await().until(() -> SERVER.database().value(all).equals("t"));
  }

  /** Sends a message of the canvas. */
  static String sendFromCanvas(Agent to, String messageId, String text) {
    return CLIENT
        .post(
            "/workspaces/" + to.id() + "/a2a",
            TestServer.ADMIN_TOKEN,
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"content\":\"%s\"}}}"
                .formatted(messageId, text))
        .field("activity_id");
  }

  /** The agent's notifications to the canvas, oldest first. */
  static List<String> notifications(Agent of) {
    JsonNode rows =
        CLIENT
            .get(
                "/workspaces/" + of.id() + "/activity?source=canvas&order=asc&limit=500",
                TestServer.ADMIN_TOKEN)
            .json();
    return rows.valueStream()
        .filter(row -> row.path("source").asString().equals("self"))
        .map(row -> row.at("/data/text").asString())
        .toList();
  }
}
