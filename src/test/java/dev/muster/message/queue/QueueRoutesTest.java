package dev.muster.message.queue;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.CountingAgent;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The queue as senders and operators see it, and their permissions (R7.7, R1.4). */
@Timeout(120)
class QueueRoutesTest {

  private static final TestServer SERVER = TestServer.shared();

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final Agent target = queue.target(1);
  private final Agent sender = queue.senderTo(target);

  private static String path(UUID target, Object queueId) {
    return "/workspaces/" + target + "/a2a/queue/" + queueId;
  }

  @Test
  void showAMessageToItsSenderAndTheAdmin() {
    queue.put(target);
    Queued queued = queue.put(target, sender, 50);
    Queued first = queue.put(target, null, 100);

    Answer answer = client.get(queued.path(), sender.token());

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode shown = answer.json();
    assertThat(Set.copyOf(shown.propertyNames()))
        .isEqualTo(
            Set.of(
                "queue_id",
                "workspace_id",
                "kind",
                "source_id",
                "state",
                "priority",
                "attempts",
                "queue_depth",
                "enqueued_at",
                "next_attempt_at",
                "expires_at",
                "ended_at",
                "error",
                "activity_id"));
    assertThat(answer.field("queue_id")).isEqualTo(queued.id().toString());
    assertThat(answer.field("workspace_id")).isEqualTo(target.id().toString());
    assertThat(answer.field("source_id")).isEqualTo(sender.id().toString());
    assertThat(answer.field("kind")).isEqualTo("message");
    assertThat(answer.field("state")).isEqualTo("waiting");
    assertThat(shown.path("queue_depth").asInt()).isEqualTo(3);
    assertThat(Instant.parse(answer.field("expires_at")))
        .isAfter(Instant.parse(answer.field("enqueued_at")));
    assertThat(client.get(queued.path(), ADMIN_TOKEN).json()).isEqualTo(shown);
    Answer ofAdmin = client.get(first.path(), ADMIN_TOKEN);
    assertThat(ofAdmin.json().path("queue_depth").asInt()).isEqualTo(1);
    assertThat(ofAdmin.json().path("source_id").isNull()).isTrue();
  }

  @Test
  void showTheAnswerOnceItExists() throws IOException {
    try (CountingAgent agent = new CountingAgent()) {
      Agent called = queue.target(agent.url(), 1);
      Agent asking = queue.senderTo(called);
      Queued queued = queue.put(called, asking, 50);
      client.heartbeat(called);
      queue.awaitState(queued, "delivered");

      Answer answer = client.get(queued.path(), asking.token());

      assertThat(answer.field("state")).isEqualTo("delivered");
      assertThat(answer.json().path("answer").toString()).isEqualTo(CountingAgent.ANSWER);
      assertThat(answer.field("activity_id")).isEqualTo(queued.id().toString());
      assertThat(answer.json().has("queue_depth")).isFalse();
      assertThat(answer.json().path("attempts").asInt()).isEqualTo(1);
      assertThat(answer.json().path("next_attempt_at").isNull()).isTrue();
      assertThat(Instant.parse(answer.field("ended_at")))
          .isAfter(Instant.parse(answer.field("enqueued_at")));
    }
  }

  /** Other rows of the feed, which were sent directly or polled, were never in the queue. */
  @Test
  void showOnlyQueuedMessages() throws IOException {
    try (CountingAgent agent = new CountingAgent()) {
      Agent called = queue.target(agent.url(), 1);
      client.heartbeat(called);
      Answer sent = queue.send(called, null, "m", 50);
      assertThat(sent.status()).as(sent.text()).isEqualTo(200);
      String row =
          client
              .get("/workspaces/" + called.id() + "/activity", ADMIN_TOKEN)
              .json()
              .path(0)
              .path("id")
              .asString();

      assertRefused(client.get(path(called.id(), row), ADMIN_TOKEN), 404, "NOT_FOUND");
    }
  }

  @Test
  void showNothingToOthers() {
    Queued queued = queue.put(target, sender, 50);
    Queued ofCanvas = queue.put(target);
    Agent other = client.create("other");

    assertRefused(client.get(queued.path(), null), 401, "UNAUTHENTICATED");
    assertRefused(client.get(queued.path(), "nonsense"), 401, "UNAUTHENTICATED");
    assertRefused(client.get(queued.path(), other.token()), 403, "FORBIDDEN");
    assertRefused(client.get(queued.path(), target.token()), 403, "FORBIDDEN");
    assertRefused(client.get(ofCanvas.path(), sender.token()), 403, "FORBIDDEN");
  }

  @Test
  void reportAnUnknownMessageOrWorkspace() {
    Queued queued = queue.put(target, sender, 50);
    Agent other = queue.target(1);
    UUID unknown = UUID.randomUUID();

    assertRefused(client.get(path(other.id(), queued.id()), sender.token()), 404, "NOT_FOUND");
    assertRefused(client.get(path(target.id(), unknown), sender.token()), 404, "NOT_FOUND");
    assertRefused(
        client.get(path(unknown, queued.id()), sender.token()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(client.get(path(target.id(), "1-1-1-1-1"), ADMIN_TOKEN), 400, "INVALID_ID");
    assertRefused(
        client.get("/workspaces/1-1-1-1-1/a2a/queue/" + queued.id(), ADMIN_TOKEN),
        400,
        "INVALID_ID");
    assertRefused(client.post(queued.path(), ADMIN_TOKEN, "{}"), 405, "METHOD_NOT_ALLOWED");
    client.delete("/workspaces/" + target.id() + "?confirm=true", ADMIN_TOKEN);
    assertRefused(client.get(queued.path(), ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
  }

  @Test
  void letOnlyTheAdminDrop() {
    Queued queued = queue.put(target, sender, 50);
    queue.set(queued, "enqueued_at = clock_timestamp() - interval '1 day'");
    String drop = "/admin/a2a-queue/drop-stale";

    assertRefused(client.post(drop, null, ""), 401, "UNAUTHENTICATED");
    assertRefused(client.post(drop, sender.token(), ""), 403, "FORBIDDEN");
    assertRefused(client.post(drop, target.token(), ""), 403, "FORBIDDEN");
    assertRefused(client.get(drop, ADMIN_TOKEN), 405, "METHOD_NOT_ALLOWED");
    assertThat(queue.of(queued, "q.state")).isEqualTo("waiting");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", "1e3", "NaN", "60m", "%00", "1%201"})
  void refuseAnAgeThatIsNotANumber(String age) {
    Queued queued = queue.put(target, sender, 50);
    assertRefused(
        client.post("/admin/a2a-queue/drop-stale?max_age_minutes=" + age, ADMIN_TOKEN, ""),
        400,
        "VALIDATION_FAILED");
    assertRefused(
        client.post("/admin/a2a-queue/drop-stale?workspace_id=" + age, ADMIN_TOKEN, ""),
        400,
        "INVALID_ID");
    assertThat(queue.of(queued, "q.state")).isEqualTo("waiting");
  }

  /** A message of this moment is never stale, however small the limit is. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "-5", "99999999999999999999", "", "%2B3"})
  void clampAnAgeThatIsOutOfRange(String age) {
    Queued queued = queue.put(target, sender, 50);
    Answer answer =
        client.post(
            "/admin/a2a-queue/drop-stale?workspace_id=" + target.id() + "&max_age_minutes=" + age,
            ADMIN_TOKEN,
            "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(queue.of(queued, "q.state")).isEqualTo("waiting");
  }
}
