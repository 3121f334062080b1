package dev.muster.agent;

import dev.muster.testing.SharedResources;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
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
