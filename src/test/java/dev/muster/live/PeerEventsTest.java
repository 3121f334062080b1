package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What a workspace's token sees of the workspaces it may talk to (R10.3). */
@Slow
@Timeout(60)
class PeerEventsTest {

  private static final List<String> LIVE_ONLY =
      List.of("AGENT_MESSAGE", "USER_MESSAGE", "ACTIVITY_LOGGED", "RUNTIME_EVENT");

  private final TestClient client = TestServer.shared().client();
  private final Agent parent = client.create("parent");
  private final Agent actor = client.create("actor", below(parent));
  private final Agent sibling = client.create("sibling", below(parent));
  private final Agent child = client.create("child", below(actor));

  @Test
  void showTheStateOfAPeerAndNeverItsMessagesOrTasks() {
    try (TestSocket admin = TestSocket.open(client, "/ws?after=0", ADMIN_TOKEN)) {
      admin.await(f -> isOf(f, child));
      try (TestSocket ofParent = TestSocket.open(client, "/ws?after=0", parent.token());
          TestSocket ofSibling = TestSocket.open(client, "/ws?after=0", sibling.token());
          TestSocket ofChild = TestSocket.open(client, "/ws?after=0", child.token())) {
        List<TestSocket> watchers = List.of(ofParent, ofSibling, ofChild);
        changeVisibly();
        workInvisibly();
        for (String type : LIVE_ONLY) {
          admin.await(f -> isOf(f, actor) && isA(f, type));
        }
        for (String type : List.of("TASK_UPDATED", "DELEGATION_SENT", "DELEGATION_COMPLETE")) {
          admin.await(f -> isOf(f, actor) && isA(f, type));
        }
        done("POST", "/workspaces/" + actor.id() + "/pause?cascade=true", null);
        watchers.forEach(one -> one.await(f -> isOf(f, actor) && isA(f, "WORKSPACE_PAUSED")));
        done("POST", "/workspaces/" + actor.id() + "/resume", null);
        for (TestSocket watcher : watchers) {
          watcher.await(f -> isOf(f, actor) && isA(f, "WORKSPACE_AWAITING_AGENT"));
          watcher.await(f -> isOf(f, actor) && isA(f, "WORKSPACE_HEARTBEAT"));
          assertThat(recordedOf(watcher, actor)).containsExactlyElementsOf(expected());
          assertThat(unrecordedOf(watcher, actor))
              .allMatch(frame -> frame.matches("WORKSPACE_HEARTBEAT \\{\"active_tasks\":[0-2]}"));
        }
        done("DELETE", "/workspaces/" + actor.id() + "?confirm=true", null);
        for (TestSocket watcher : List.of(ofParent, ofSibling)) {
          JsonNode removed = watcher.await(f -> isOf(f, actor) && isA(f, "WORKSPACE_REMOVED"));
          assertThat(eventAndPayload(removed))
              .isEqualTo(
                  "WORKSPACE_REMOVED {\"status\":\"removed\","
                      + "\"previous_status\":\"awaiting_agent\",\"status_since\":\"then\"}");
        }
      }
    }
  }

  @Test
  void areNotReplayedUnlikeOwnEvents() {
    changeVisibly();
    workInvisibly();
    client.delete("/workspaces/" + child.id(), ADMIN_TOKEN);
    Agent unrelated = client.create("stranger");
    client.heartbeat(unrelated);
    Agent late = client.create("late", below(parent), "\"role\":\"watching\"");
    done("PATCH", "/workspaces/" + late.id(), "{\"role\":\"newly hired\",\"x\":7}");
    try (TestSocket admin = TestSocket.open(client, "/ws?after=0", ADMIN_TOKEN)) {
      admin.await(f -> isOf(f, late) && isA(f, "WORKSPACE_UPDATED"));
      try (TestSocket socket = TestSocket.open(client, "/ws?after=0", late.token())) {
        // events before it joined the family stay invisible
        done("PATCH", "/workspaces/" + unrelated.id(), "{\"parent_id\":\"" + parent.id() + "\"}");
        client.heartbeat(actor, "\"runtime_state\":\"wedged\"");
        socket.await(f -> isOf(f, actor) && isA(f, "WORKSPACE_DEGRADED"));
        assertThat(
                socket.frames().stream()
                    .filter(f -> f.has("seq"))
                    .map(PeerEventsTest::eventAndPayload))
            .containsExactly(
                "WORKSPACE_AWAITING_AGENT"
                    + " {\"name\":\"late\",\"role\":\"watching\",\"tier\":3,\"parent_id\":\""
                    + parent.id()
                    + "\",\"runtime\":\"external\",\"delivery_mode\":\"poll\","
                    + "\"status\":\"awaiting_agent\",\"previous_status\":null,"
                    + "\"status_since\":\"then\",\"degraded_reason\":null}",
                "WORKSPACE_UPDATED {\"role\":\"newly hired\",\"x\":7.0}",
                "WORKSPACE_UPDATED {}",
                "WORKSPACE_DEGRADED {\"name\":\"Actor\",\"status\":\"degraded\","
                    + "\"previous_status\":\"online\",\"status_since\":\"then\"}");
      }
    }
  }

  @Test
  void areNotReplayedFromTheDatabase() {
    TestDatabase database = TestDatabases.create();
    Agent own;
    Agent other;
    int changes = 230;
    try (TestServer before = TestServer.startOn(database)) {
      Agent lead = before.client().create("lead");
      own = before.client().create("own", below(lead));
      other = before.client().create("other", below(lead));
      for (int x = 1; x <= changes; x++) {
        for (Agent one : List.of(own, other)) {
          before.client().patch("/workspaces/" + one.id(), ADMIN_TOKEN, "{\"x\":" + x + "}");
        }
      }
    }
    try (TestServer after = TestServer.startOn(database);
        TestSocket socket = TestSocket.open(after.client(), "/ws?after=0", own.token())) {
      after.client().patch("/workspaces/" + other.id(), ADMIN_TOKEN, "{\"name\":\"now\"}");
      socket.await(f -> isOf(f, other));
      assertThat(recordedOf(socket, own).subList(1, changes + 1))
          .isEqualTo(
              IntStream.rangeClosed(1, changes)
                  .mapToObj(x -> "WORKSPACE_UPDATED {\"x\":" + x + ".0}")
                  .toList());
      assertThat(recordedOf(socket, own)).hasSize(changes + 1);
      assertThat(recordedOf(socket, other)).containsExactly("WORKSPACE_UPDATED {\"name\":\"now\"}");
      assertThat(socket.frames()).noneMatch(f -> isA(f, "REPLAY_GAP"));
    }
  }

  /** Changes that peers see, in part. */
  private void changeVisibly() {
    done(
        "POST",
        "/registry/register",
        """
        {"id":"%s","agent_card":{"name":"A","n":1.50},"delivery_mode":"poll"}\
        """
            .formatted(actor.id()));
    done(
        "PATCH",
        "/workspaces/" + actor.id(),
        "{\"name\":\"Actor\",\"role\":\"secret\",\"x\":1,\"y\":2}");
    done(
        "POST",
        "/registry/update-card",
        "{\"workspace_id\":\"" + actor.id() + "\",\"agent_card\":{\"name\":\"B\"}}");
    client.heartbeat(
        actor, "\"current_task\":\"secret\"", "\"active_tasks\":2", "\"uptime_seconds\":7");
    client.heartbeat(actor, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"secret\"");
    client.heartbeat(actor, "\"active_tasks\":1");
  }

  /** Changes that peers do not see, as over HTTP. */
  private void workInvisibly() {
    String path = "/workspaces/" + actor.id();
    done("POST", path + "/activity", "{\"activity_type\":\"agent_log\",\"summary\":\"secret\"}");
    done("POST", path + "/notify", "{\"message\":\"secret\"}");
    done(
        "POST",
        path + "/runtime-events",
        "{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":\"secret\"}}");
    done("POST", path + "/a2a", message("m-1", ""));
    String reply = message("m-2", ",\"metadata\":{\"reply_to\":\"m-3\"}");
    assertThat(client.post(path + "/a2a", child.token(), message("m-3", "")).status())
        .isEqualTo(200);
    assertThat(client.post("/workspaces/" + child.id() + "/a2a", actor.token(), reply).status())
        .isEqualTo(200);
    String task = "{\"target_id\":\"" + child.id() + "\",\"task\":\"secret\"}";
    String delegation = client.post(path + "/delegate", actor.token(), task).field("delegation_id");
    done(
        "POST",
        path + "/delegations/" + delegation + "/update",
        "{\"status\":\"completed\",\"result\":\"secret\"}");
  }

  private static List<String> expected() {
    String of = "\"status\":\"%s\",\"previous_status\":\"%s\",\"status_since\":\"then\"}";
    return List.of(
        "WORKSPACE_ONLINE"
            + " {\"name\":\"actor\",\"url\":\"\",\"agent_card\":{\"name\":\"A\",\"n\":1.5},"
            + "\"delivery_mode\":\"poll\",\"recovered_from\":\"awaiting_agent\","
            + of.formatted("online", "awaiting_agent"),
        "WORKSPACE_UPDATED {\"name\":\"Actor\"}",
        "AGENT_CARD_UPDATED {\"agent_card\":{\"name\":\"B\"}}",
        "WORKSPACE_DEGRADED {\"name\":\"Actor\"," + of.formatted("degraded", "online"),
        "WORKSPACE_ONLINE {\"name\":\"Actor\",\"recovered_from\":\"degraded\","
            + of.formatted("online", "degraded"),
        "WORKSPACE_PAUSED {\"name\":\"Actor\"," + of.formatted("paused", "online"),
        "WORKSPACE_AWAITING_AGENT {\"name\":\"Actor\"," + of.formatted("awaiting_agent", "paused"));
  }

  private static String message(String id, String more) {
    return """
    {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","kind":"message",
     "messageId":"%s","parts":[{"kind":"text","text":"secret"}]%s}}}\
    """
        .formatted(id, more);
  }

  private void done(String method, String path, @Nullable String body) {
    TestClient.Answer answer = client.send(method, path, ADMIN_TOKEN, body);
    assertThat(answer.status()).as(method + " " + path + answer.text()).isLessThan(300);
  }

  private static List<String> recordedOf(TestSocket socket, Agent agent) {
    return socket.frames().stream()
        .filter(f -> isOf(f, agent) && f.has("seq"))
        .map(PeerEventsTest::eventAndPayload)
        .toList();
  }

  private static List<String> unrecordedOf(TestSocket socket, Agent agent) {
    return socket.frames().stream()
        .filter(f -> isOf(f, agent) && !f.has("seq"))
        .map(PeerEventsTest::eventAndPayload)
        .toList();
  }

  private static String eventAndPayload(JsonNode frame) {
    String payload =
        frame
            .path("payload")
            .toString()
            .replaceAll("\"status_since\":\"[0-9TZ:.-]+\"", "\"status_since\":\"then\"");
    return frame.path("event").asString() + " " + payload;
  }

  private static String below(Agent agent) {
    return "\"parent_id\":\"" + agent.id() + "\"";
  }

  private static boolean isOf(JsonNode frame, Agent agent) {
    return frame.path("workspace_id").asString("").equals(agent.id().toString());
  }

  private static boolean isA(JsonNode frame, String event) {
    return frame.path("event").asString().equals(event);
  }
}
