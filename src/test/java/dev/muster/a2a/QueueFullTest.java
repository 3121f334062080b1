package dev.muster.a2a;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thousand wait for an agent, and no more (R7.7). */
@Timeout(90)
class QueueFullTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Mail MAIL = new Mail(SERVER);

  private Agent target;

  @BeforeEach
  void leaveRoomForOne() {
    target =
        CLIENT.create("Awaited", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
    fill(999);
  }

  private void fill(int places) {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO a2a_queue (queue_id, activity_id, target_id, priority, state, enqueued_at, next_attempt_at, expires_at)
            SELECT gen_random_uuid(), gen_random_uuid(), '%s', 50, 'waiting', since, since, since + interval '1 day'
            FROM generate_series(1, %d), CAST(clock_timestamp() - interval '2 hours' AS timestamptz) AS since
            """
                .formatted(target.id(), places));
  }

  @AfterEach
  void leaveNothing() {
    SERVER.database().execute("DELETE FROM a2a_queue WHERE target_id = '" + target.id() + "'");
  }

  @Test
  void refusesWhatIsOneTooMany() {
    Answer last = send("m-1");
    assertThat(last.status()).as(last.text()).isEqualTo(202);
    assertThat(last.json().path("queue_depth").asInt()).isEqualTo(1000);

    Answer refused = send("m-2");

    assertRefused(refused, 503, "QUEUE_FULL");
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(refused.field("detail")).contains(target.id().toString());
    assertThat(MAIL.rows(target)).isEqualTo(1);
    assertThat(waiting()).isEqualTo("1000");
  }

  @Test
  void takesTheRefusedMessageOnceThereIsRoom() {
    send("m-1");
    assertRefused(send("m-2"), 503, "QUEUE_FULL");

    dropStale(999);

    Answer taken = send("m-2");
    assertThat(taken.status()).as(taken.text()).isEqualTo(202);
    assertThat(taken.json().path("queue_depth").asInt()).isEqualTo(2);
    assertThat(MAIL.rows(target)).isEqualTo(2);
  }

  @Test
  void stillAnswersForAMessageThatWaitsAlready() {
    Answer last = send("m-1");

    Answer again = send("m-1");

    assertThat(again.status()).as(again.text()).isEqualTo(202);
    assertThat(again.text()).isEqualTo(last.text());
    assertThat(waiting()).isEqualTo("1000");
  }

  @Test
  void hasNoRoomEitherForAMessageThatWaitedBefore() {
    send("m-1");
    SERVER
        .database()
        .execute(
            "UPDATE a2a_queue SET enqueued_at = enqueued_at - interval '2 hours' WHERE target_id ="
                + " '"
                + target.id()
                + "'");
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
    return MAIL.send(target, ADMIN_TOKEN, Mail.message(id, "hi"));
  }

  private String waiting() {
    return SERVER
        .database()
        .value(
            "SELECT count(*) FROM a2a_queue WHERE state = 'waiting' AND target_id = '"
                + target.id()
                + "'");
  }
}
