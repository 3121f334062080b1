package dev.muster.message.queue;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.RowId;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** The queue of a server, with the actions of tests on it. */
public record TestQueue(TestClient client, TestDatabase database) {

  public static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** A url without a listener. */
  public static final String NOWHERE = "http://127.0.0.1:9/";

  /** A queued message; {@code id} is its row's id, {@code messageId} its own. */
  public record Queued(UUID targetId, UUID id, String messageId) {

    /** The condition that selects it in each of the tables. */
    public String condition() {
      return "workspace_id = '" + targetId + "' AND seq = " + RowId.seqOf(id);
    }

    String path() {
      return "/workspaces/" + targetId + "/a2a/queue/" + id;
    }
  }

  public static TestQueue of(TestServer server) {
    return new TestQueue(server.client(), server.database());
  }

  /** A push agent without a heartbeat: messages to it wait. */
  public Agent target(int slots) {
    return target(NOWHERE, slots);
  }

  public Agent target(String url, int slots) {
    return client.create(
        "Target",
        "\"delivery_mode\":\"push\"",
        "\"url\":\"" + url + "\"",
        "\"max_concurrent_tasks\":" + slots);
  }

  /** An agent that may send to the target. */
  public Agent senderTo(Agent target) {
    return client.create(
        "Sender", "\"delivery_mode\":\"poll\"", "\"parent_id\":\"" + target.id() + "\"");
  }

  /** Sends a message again while the server cannot tell. */
  public TestQueue patient() {
    return new TestQueue(client.patient(), database);
  }

  /** Queues a message of the canvas. */
  public Queued put(Agent target) {
    return put(target, null, 50);
  }

  /** Queues a message; of the canvas when {@code sender} is null. */
  public Queued put(Agent target, @Nullable Agent sender, int priority) {
    String messageId = "m-" + UUID.randomUUID();
    Answer answer = patient().send(target, sender, messageId, priority);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return new Queued(target.id(), UUID.fromString(answer.field("queue_id")), messageId);
  }

  public Answer send(Agent target, @Nullable Agent sender, String messageId, int priority) {
    return client.post(
        "/workspaces/" + target.id() + "/a2a",
        sender == null ? ADMIN_TOKEN : sender.token(),
        message(messageId, priority));
  }

  public static String message(String messageId, int priority) {
    return """
    {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"priority":%d,"message":{"messageId":"%s",
    "parts":[{"kind":"text","text":"Hello."}]}}}
    """
        .formatted(priority, messageId);
  }

  /**
   * Inserts this many messages that have waited for the target for two hours, all without content.
   */
  public void fill(Agent target, int messages) {
    database.execute(
        """
        INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
        SELECT '%1$s', n, 'c', 'a2a_receive', 'canvas_user', 'ok', 0, clock_timestamp(), 0
        FROM generate_series(1000001, 1000000 + %2$d) AS n;
        INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        SELECT '%1$s', n, 'message', true, 0, 50, since, since, since + interval '1 day'
        FROM generate_series(1000001, 1000000 + %2$d) AS n, CAST(clock_timestamp() - interval '2 hours' AS timestamptz) AS since
        """
            .formatted(target.id(), messages));
  }

  /**
   * Evaluates an SQL expression on its row {@code l}, its message {@code m} and its queue entry
   * {@code q}.
   */
  public String of(Queued queued, String expression) {
    return database.value(
        "SELECT "
            + expression
            + " "
            + StoredRows.FROM
            + " WHERE l."
            + queued.condition().replace("AND ", "AND l."));
  }

  /** Evaluates an SQL expression on its open delivery. */
  public String open(Queued queued, String expression) {
    return database.value("SELECT " + expression + " FROM deliveries WHERE " + queued.condition());
  }

  /** Updates its open delivery. */
  public void set(Queued queued, String assignments) {
    database.execute("UPDATE deliveries SET " + assignments + " WHERE " + queued.condition());
  }

  /** Makes another live replica the owner of its delivery. */
  public void claimByAnotherReplica(Queued queued) {
    UUID another = UUID.randomUUID();
    database.execute(
        """
        INSERT INTO replicas (id, name, started_at, alive_until)
        VALUES ('%s', 'another', clock_timestamp(), clock_timestamp() + interval '1 hour')
        """
            .formatted(another));
    set(queued, "owner = '" + another + "', claim = 1, claimed_at = clock_timestamp()");
  }

  public void release(Queued queued) {
    set(queued, "owner = NULL, claim = NULL, claimed_at = NULL");
  }

  public void awaitState(Queued queued, String state) {
    Awaitility.await("until " + state)
        .atMost(TIMEOUT)
        .until(() -> of(queued, "q.state"), state::equals);
  }

  /** The message as its sender, the canvas or the admin sees it. */
  public Answer show(Queued queued) {
    return client.get(queued.path(), ADMIN_TOKEN);
  }
}
