package dev.muster.message.queue;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Operators list the queue, and expire, cancel and retry waiting messages (R7.7). */
@Timeout(120)
class QueueListTest {

  private static final TestServer SERVER = TestServer.shared();

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final Agent team = client.create("Team");
  private final Agent sender = member("\"delivery_mode\":\"poll\"");
  private final Agent target = away();

  private Agent member(String fields) {
    return client.create("Member", "\"parent_id\":\"" + team.id() + "\"", fields);
  }

  /** A push agent that never sent a heartbeat. */
  private Agent away() {
    return member("\"delivery_mode\":\"push\",\"url\":\"http://127.0.0.1:9/\"");
  }

  private Queued queued(String messageId) {
    Answer answer = queue.send(target, sender, messageId, 50);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return new Queued(target.id(), UUID.fromString(answer.field("queue_id")), messageId);
  }

  private Answer list(String query) {
    Answer answer = client.get("/admin/a2a-queue?target_id=" + target.id() + query, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  private static List<String> ids(Answer answer) {
    List<String> ids = new ArrayList<>();
    answer.json().forEach(row -> ids.add(row.path("queue_id").asString()));
    return ids;
  }

  private Answer operate(UUID queueId, String verb) {
    return client.post("/admin/a2a-queue/" + queueId + "/" + verb, ADMIN_TOKEN, "");
  }

  @Test
  void isListedByPagesTheOldestFirst() {
    List<String> put = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      put.add(queued("m-" + i).id().toString());
    }
    assertThat(operate(UUID.fromString(put.get(4)), "cancel").status()).isEqualTo(200);

    List<String> read = new ArrayList<>();
    String path = "/admin/a2a-queue?target_id=" + target.id() + "&limit=2";
    while (!path.isEmpty()) {
      Answer page = client.get(path, ADMIN_TOKEN);
      assertThat(page.json().size()).isLessThanOrEqualTo(2);
      read.addAll(ids(page));
      path = page.next();
    }

    assertThat(read).isEqualTo(put.subList(0, 4));
    JsonNode row = list("&state=waiting").json().path(0);
    assertThat(row)
        .isEqualTo(
            client
                .get("/workspaces/" + target.id() + "/a2a/queue/" + put.getFirst(), ADMIN_TOKEN)
                .json()
                .deepCopy()
                .asObject()
                .without("queue_depth"));
    assertThat(ids(list("&state=dropped"))).containsExactly(put.get(4));
    assertThat(ids(list("&sender_id=" + sender.id()))).hasSize(4);
    assertThat(ids(list("&sender_id=" + target.id()))).isEmpty();
    assertThat(ids(list("&kind=message&state="))).hasSize(4);
    assertThat(ids(list("&kind=delegation"))).isEmpty();
    assertThat(ids(list("&state=delivering"))).isEmpty();
  }

  @Test
  void listsEndedOnesLastFirst() {
    List<String> ended = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      UUID id = queued("e-" + i).id();
      assertThat(operate(id, "cancel").status()).isEqualTo(200);
      ended.addFirst(id.toString());
    }

    assertThat(ids(list("&state=dropped"))).isEqualTo(ended);
    assertThat(ids(list("&state=dropped&kind=message&sender_id=" + sender.id()))).isEqualTo(ended);
    assertThat(ids(list("&state=dropped&kind=delegation"))).isEmpty();
    assertThat(ids(list("&state=dropped&sender_id=" + target.id()))).isEmpty();
    assertThat(ids(list("&state=expired"))).isEmpty();
    assertThat(
            ids(client.get("/admin/a2a-queue?state=dropped&target_id=" + sender.id(), ADMIN_TOKEN)))
        .isEmpty();
    Answer first = list("&state=dropped&limit=1");
    assertThat(ids(client.get(first.next(), ADMIN_TOKEN))).containsExactly(ended.get(1));
    assertThat(ids(list(""))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "state=done, VALIDATION_FAILED",
    "kind=mail, VALIDATION_FAILED",
    "limit=x, VALIDATION_FAILED",
    "cursor=x, VALIDATION_FAILED",
    "target_id=x, INVALID_ID",
    "sender_id=x, INVALID_ID",
  })
  void refusesUnknownWords(String query, String code) {
    assertRefused(client.get("/admin/a2a-queue?" + query, ADMIN_TOKEN), 400, code);
  }

  @Test
  void isSummarizedByTarget() {
    Queued first = queued("s-1");
    queued("s-2");
    queue.set(first, "enqueued_at = clock_timestamp() - interval '1 hour'");

    JsonNode summary = client.get("/admin/a2a-queue/summary", ADMIN_TOKEN).json();

    assertThat(summary.path("waiting").asInt()).isGreaterThanOrEqualTo(2);
    assertThat(summary.path("delivering").isNumber()).isTrue();
    assertThat(summary.path("oldest_s").asLong()).isGreaterThanOrEqualTo(3600);
    assertThat(summary.path("targets").size()).isBetween(1, 50);
    JsonNode own = null;
    for (JsonNode one : summary.path("targets")) {
      own = one.path("id").asString().equals(target.id().toString()) ? one : own;
    }
    if (summary.path("targets").size() < 50) {
      JsonNode found = Objects.requireNonNull(own, "the target");
      assertThat(found.path("waiting").asInt()).isEqualTo(2);
      assertThat(found.path("oldest_s").asLong()).isBetween(3600L, 3700L);
      assertThat(found.path("status").asString()).isEqualTo("awaiting_agent");
    }
  }

  @ParameterizedTest
  @CsvSource({"expire, expired", "cancel, dropped"})
  void endsAWaitingMessageWithItsDelegation(String verb, String state) {
    Answer delegated =
        client.post(
            "/workspaces/" + sender.id() + "/delegate",
            sender.token(),
            "{\"target_id\":\"" + target.id() + "\",\"task\":\"Do it.\"}");
    String delegation = delegated.field("delegation_id");
    UUID id =
        Awaitility.await()
            .atMost(TestQueue.TIMEOUT)
            .until(() -> ids(list("&kind=delegation")), ids -> ids.size() == 1)
            .stream()
            .map(UUID::fromString)
            .findFirst()
            .orElseThrow();

    Answer answer = operate(id, verb);

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.field("state")).isEqualTo(state);
    assertThat(answer.field("queue_id")).isEqualTo(id.toString());
    assertThat(answer.field("kind")).isEqualTo("delegation");
    JsonNode record =
        client
            .get("/workspaces/" + sender.id() + "/delegations/" + delegation, sender.token())
            .json();
    assertThat(record.path("status").asString()).isEqualTo("failed");
    assertThat(record.path("error_detail").asString()).endsWith("by an operator");
    for (String again : List.of("expire", "cancel", "retry")) {
      assertRefused(operate(id, again), 409, "WRONG_STATE");
    }
    assertThat(ids(list("&state=" + state))).containsExactly(id.toString());
  }

  @Test
  void retriesAWaitingMessageNow() {
    Queued queued = queued("r-1");
    queue.set(queued, "due_at = clock_timestamp() + interval '1 hour'");
    client.heartbeat(target);

    Answer answer = operate(queued.id(), "retry");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> Integer.parseInt(queue.of(queued, "q.attempts")) > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"retry", "expire", "cancel"})
  void refusesOperationsOnAMessageInDelivery(String verb) {
    Queued queued = queued("d-1");
    queue.claimByAnotherReplica(queued);

    assertRefused(operate(queued.id(), verb), 409, "DELIVERING");

    assertThat(ids(list("&state=delivering"))).containsExactly(queued.id().toString());
    assertThat(ids(list("&state=waiting"))).isEmpty();
    queue.release(queued);
    assertThat(operate(queued.id(), verb).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"retry", "expire", "cancel"})
  void reportsAnUnknownMessage(String verb) {
    assertRefused(operate(UUID.randomUUID(), verb), 404, "NOT_FOUND");
    assertRefused(client.post("/admin/a2a-queue/x/" + verb, ADMIN_TOKEN, ""), 400, "INVALID_ID");
    Queued queued = queued("n-1");
    assertRefused(
        client.post("/admin/a2a-queue/" + queued.id() + "/" + verb, sender.token(), ""),
        403,
        "FORBIDDEN");
    assertThat(queue.of(queued, "q.state")).isEqualTo("waiting");
  }
}
