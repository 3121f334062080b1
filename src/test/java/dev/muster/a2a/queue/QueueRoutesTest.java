package dev.muster.a2a.queue;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.json.RawJson;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import tools.jackson.databind.JsonNode;

/** What senders and operators see of the queue, and who may (R7.7, R1.4). */
@Timeout(120)
@ResourceLock(Postman.ONLY_ONE)
class QueueRoutesTest {

  static final class KnownAnswers {

    @Bean
    @Primary
    QueueAnswers knownAnswers() {
      return (activityId, memory) -> Optional.of(new RawJson("{\"of\":\"" + activityId + "\"}"));
    }
  }

  private static final TestServer SERVER =
      TestServer.startWith(
          TestDatabases.create(),
          List.of(Postman.class, KnownAnswers.class),
          "AGENT_URL_ALLOW=loopback");

  private final TestClient client = SERVER.client();
  private final TestLine line = new TestLine(SERVER);
  private final Agent target = line.target(1);
  private final Agent sender = client.create("sender");

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void reset() {
    Postman.reset();
  }

  private static String path(UUID target, Object queueId) {
    return "/workspaces/" + target + "/a2a/queue/" + queueId;
  }

  @Test
  void showAMessageToItsSenderAndTheAdmin() {
    line.put(target, null, 50);
    UUID id = line.put(target, sender.id(), 50);
    UUID first = line.put(target, null, 100);

    Answer answer = client.get(path(target.id(), id), sender.token());

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode shown = answer.json();
    assertThat(Set.copyOf(shown.propertyNames()))
        .isEqualTo(
            Set.of(
                "queue_id",
                "workspace_id",
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
    assertThat(answer.field("queue_id")).isEqualTo(id.toString());
    assertThat(answer.field("workspace_id")).isEqualTo(target.id().toString());
    assertThat(answer.field("source_id")).isEqualTo(sender.id().toString());
    assertThat(answer.field("state")).isEqualTo("waiting");
    assertThat(shown.path("queue_depth").asInt()).isEqualTo(3);
    assertThat(Instant.parse(answer.field("expires_at")))
        .isAfter(Instant.parse(answer.field("enqueued_at")));
    assertThat(client.get(path(target.id(), id), ADMIN_TOKEN).json()).isEqualTo(shown);
    Answer ofAdmin = client.get(path(target.id(), first), ADMIN_TOKEN);
    assertThat(ofAdmin.json().path("queue_depth").asInt()).isEqualTo(1);
    assertThat(ofAdmin.json().path("source_id").isNull()).isTrue();
  }

  @Test
  void showTheAnswerOnceThereIsOne() {
    UUID id = line.put(target, sender.id(), 50);
    client.beat(target);
    line.awaitState(id, "delivered");

    Answer answer = client.get(path(target.id(), id), sender.token());

    assertThat(answer.field("state")).isEqualTo("delivered");
    assertThat(answer.json().path("answer").path("of").asString())
        .isEqualTo(answer.field("activity_id"))
        .isEqualTo(line.of(id, "activity_id"));
    assertThat(answer.json().has("queue_depth")).isFalse();
    assertThat(answer.json().path("attempts").asInt()).isEqualTo(1);
  }

  @Test
  void showNothingToAnybodyElse() {
    UUID id = line.put(target, sender.id(), 50);
    UUID ofCanvas = line.put(target, null, 50);
    Agent other = client.create("other");

    assertRefused(client.get(path(target.id(), id), null), 401, "UNAUTHENTICATED");
    assertRefused(client.get(path(target.id(), id), "nonsense"), 401, "UNAUTHENTICATED");
    assertRefused(client.get(path(target.id(), id), other.token()), 403, "FORBIDDEN");
    assertRefused(client.get(path(target.id(), id), target.token()), 403, "FORBIDDEN");
    assertRefused(client.get(path(target.id(), ofCanvas), sender.token()), 403, "FORBIDDEN");
  }

  @Test
  void saySoWhenThereIsNoSuchMessageOrWorkspace() {
    UUID id = line.put(target, sender.id(), 50);
    Agent other = line.target(1);
    UUID nobody = UUID.randomUUID();

    assertRefused(client.get(path(other.id(), id), sender.token()), 404, "NOT_FOUND");
    assertRefused(client.get(path(target.id(), nobody), sender.token()), 404, "NOT_FOUND");
    assertRefused(client.get(path(nobody, id), sender.token()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(client.get(path(target.id(), "1-1-1-1-1"), ADMIN_TOKEN), 400, "INVALID_ID");
    assertRefused(
        client.get("/workspaces/1-1-1-1-1/a2a/queue/" + id, ADMIN_TOKEN), 400, "INVALID_ID");
    assertRefused(client.post(path(target.id(), id), ADMIN_TOKEN, "{}"), 405, "METHOD_NOT_ALLOWED");
    client.delete("/workspaces/" + target.id(), ADMIN_TOKEN);
    assertRefused(client.get(path(target.id(), id), sender.token()), 410, "WORKSPACE_REMOVED");
  }

  @Test
  void letOnlyTheAdminDrop() {
    UUID id = line.put(target, sender.id(), 50);
    line.set(id, "enqueued_at = clock_timestamp() - interval '1 day'");
    String drop = "/admin/a2a-queue/drop-stale";

    assertRefused(client.post(drop, null, ""), 401, "UNAUTHENTICATED");
    assertRefused(client.post(drop, sender.token(), ""), 403, "FORBIDDEN");
    assertRefused(client.post(drop, target.token(), ""), 403, "FORBIDDEN");
    assertRefused(client.get(drop, ADMIN_TOKEN), 405, "METHOD_NOT_ALLOWED");
    assertThat(line.of(id, "state")).isEqualTo("waiting");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", "1e3", "NaN", "60m", "%00", "1%201"})
  void refuseAnAgeThatIsNoNumber(String age) {
    UUID id = line.put(target, sender.id(), 50);
    assertRefused(
        client.post("/admin/a2a-queue/drop-stale?max_age_minutes=" + age, ADMIN_TOKEN, ""),
        400,
        "VALIDATION_FAILED");
    assertRefused(
        client.post("/admin/a2a-queue/drop-stale?workspace_id=" + age, ADMIN_TOKEN, ""),
        400,
        "INVALID_ID");
    assertThat(line.of(id, "state")).isEqualTo("waiting");
  }

  /** A message of this moment is never stale, however small the number. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "-5", "99999999999999999999", "", "%2B3"})
  void clampAnAgeThatIsOutOfRange(String age) {
    UUID id = line.put(target, sender.id(), 50);
    Answer answer =
        client.post("/admin/a2a-queue/drop-stale?max_age_minutes=" + age, ADMIN_TOKEN, "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(line.of(id, "state")).isEqualTo("waiting");
  }
}
