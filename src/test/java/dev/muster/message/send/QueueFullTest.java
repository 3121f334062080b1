package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** At most a thousand messages wait for an agent (R7.7). */
@Timeout(90)
class QueueFullTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private Agent target;

  @BeforeEach
  void leaveOneFreeEntry() {
    target =
        CLIENT.create("Awaited", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
    fill(999);
  }

  /** Row numbers that no message of another test gets. */
  private static final int FAR_FROM_OTHERS = 1_000_000;

  private int filled;

  private void fill(int places) {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
            SELECT '%1$s', n, 'c', 'a2a_receive', 'canvas_user', 'ok', 0, clock_timestamp(), 0
            FROM generate_series(%3$d, %3$d + %2$d - 1) AS n;
            INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
            SELECT '%1$s', n, 'message', true, 0, 50, since, since, since + interval '1 day'
            FROM generate_series(%3$d, %3$d + %2$d - 1) AS n, CAST(clock_timestamp() - interval '2 hours' AS timestamptz) AS since
            """
                .formatted(target.id(), places, FAR_FROM_OTHERS + 10_000 * filled++));
  }

  @AfterEach
  void emptyTheQueue() {
    SERVER.database().execute("DELETE FROM deliveries WHERE workspace_id = '" + target.id() + "'");
  }

  @Test
  void refusesOneMessageTooMany() {
    Answer last = send("m-1");
    assertThat(last.status()).as(last.text()).isEqualTo(202);
    assertThat(last.json().path("queue_depth").asInt()).isEqualTo(1000);

    Answer refused = send("m-2");

    assertRefused(refused, 503, "QUEUE_FULL");
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(refused.field("detail")).contains(target.id().toString());
    assertThat(PROXY.rows(target)).isEqualTo(999 + 1);
    assertThat(waiting()).isEqualTo("1000");
  }

  /**
   * Leaves 399 entries among the 499 newest rows of the feed. The newest entry found {@code depth}
   * when it came.
   */
  private void drainAfter(int depth) {
    SERVER
        .database()
        .execute(
            """
            UPDATE deliveries SET depth = %2$d WHERE workspace_id = '%1$s';
            DELETE FROM deliveries WHERE workspace_id = '%1$s'
                AND (seq < %3$d + 500 OR seq BETWEEN %3$d + 600 AND %3$d + 699);
            UPDATE activity_feeds SET last_seq = %3$d + 998 WHERE workspace_id = '%1$s'
            """
                .formatted(target.id(), depth, FAR_FROM_OTHERS));
  }

  @ParameterizedTest
  @CsvSource({
    "450, 451, the newest entry found less than there are rows",
    "700, 500, there are fewer rows than the newest entry found",
    "704, 400, every 32nd entry is counted",
    "1000, 400, a queue that seems full is counted",
  })
  void estimatesTheDepthOfALongQueue(int newest, int depth, String why) {
    drainAfter(newest);

    Answer answer = send("m-1");

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.json().path("queue_depth").asInt()).as(why).isEqualTo(depth);
  }

  @Test
  void acceptsTheRefusedMessageOnceAnEntryIsFree() {
    send("m-1");
    assertRefused(send("m-2"), 503, "QUEUE_FULL");

    dropStale(999);

    Answer taken = send("m-2");
    assertThat(taken.status()).as(taken.text()).isEqualTo(202);
    assertThat(taken.json().path("queue_depth").asInt()).isEqualTo(2);
    assertThat(PROXY.rows(target)).isEqualTo(999 + 2);
  }

  @Test
  void answersADuplicateOfAWaitingMessage() {
    Answer last = send("m-1");

    Answer again = send("m-1");

    assertThat(again.status()).as(again.text()).isEqualTo(202);
    assertThat(again.text()).isEqualTo(last.text());
    assertThat(waiting()).isEqualTo("1000");
  }

  @Test
  void refusesADroppedMessageThatIsSentAgain() {
    send("m-1");
    StoredRows.growOldInQueue(SERVER.database(), target.id());
    dropStale(1000);
    fill(1000);

    assertRefused(send("m-1"), 503, "QUEUE_FULL");
    assertThat(waiting()).isEqualTo("1000");

    dropStale(1000);
    assertThat(send("m-1").status()).isEqualTo(202);
  }

  private void dropStale(int expected) {
    Answer dropped =
        CLIENT.post("/admin/a2a-queue/drop-stale?workspace_id=" + target.id(), ADMIN_TOKEN, "");
    assertThat(dropped.text()).isEqualTo("{\"dropped\":" + expected + "}");
  }

  private Answer send(String id) {
    return PROXY.send(target, ADMIN_TOKEN, ProxyClient.message(id, "hi"));
  }

  private String waiting() {
    return SERVER
        .database()
        .value(
            "SELECT count(*) FROM deliveries WHERE queued AND owner IS NULL AND workspace_id = '"
                + target.id()
                + "'");
  }
}
