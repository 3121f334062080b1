package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.store.ReadPositions;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A feed whose head or rows the database refuses does not keep the others from background work. */
@Slow
@Timeout(120)
class FailingFeedsTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static List<Agent> feeds() {
    return Stream.generate(() -> CLIENT.create("Feed")).limit(6).toList();
  }

  private static String head(Agent agent, String column) {
    return SERVER
        .database()
        .value(
            "SELECT " + column + " FROM activity_feeds WHERE workspace_id = '" + agent.id() + "'");
  }

  private static String of(List<Agent> agents) {
    return agents.stream().map(a -> "'" + a.id() + "'").collect(Collectors.joining(","));
  }

  @Test
  void keepsNoReadPositionOfOthersUnwritten() {
    List<Agent> feeds = feeds();
    Agent poisoned = feeds.getFirst();
    ReadPositions positions = SERVER.bean(ReadPositions.class);
    try (Poison poison =
        Poison.check(
            SERVER,
            "read-positions",
            "activity_feeds",
            "read_seq < 7 OR workspace_id <> '" + poisoned.id() + "'")) {
      feeds.forEach(feed -> positions.move(feed.id(), 7));

      feeds.stream()
          .skip(1)
          .forEach(feed -> await().until(() -> head(feed, "read_seq"), "7"::equals));

      await().untilAsserted(() -> assertThat(poison.lines(poisoned.id().toString())).hasSize(1));
      assertThat(poison.counted()).isPositive();
    }
  }

  @Test
  void keepsNoDeliveredMarkOfOthersFromMoving() {
    List<Agent> feeds = feeds();
    Agent poisoned = feeds.getFirst();
    DeliveredMarks marks = SERVER.bean(DeliveredMarks.class);
    SERVER
        .database()
        .execute(
            "UPDATE activity_feeds SET last_seq = 7 WHERE workspace_id IN (" + of(feeds) + ")");
    try (Poison poison =
        Poison.check(
            SERVER,
            "delivered-marks",
            "activity_feeds",
            "delivered_seq < 7 OR workspace_id <> '" + poisoned.id() + "'")) {
      marks.catchUp(poisoned.id());
      await().until(() -> poison.counted() >= 1);
      feeds.stream().skip(1).forEach(feed -> marks.catchUp(feed.id()));

      feeds.stream()
          .skip(1)
          .forEach(feed -> await().until(() -> head(feed, "delivered_seq"), "7"::equals));

      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
    }
  }

  @Test
  void keepsNoOldRowsOfOthers() {
    List<Agent> feeds = feeds();
    Agent poisoned = feeds.getFirst();
    SERVER
        .database()
        .execute(
            """
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
            SELECT workspace_id, 1, 'L', 'agent_log', 'self', 'ok', 0, now() - interval '40 days', 0
            FROM activity_feeds WHERE workspace_id IN (%1$s);
            CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = 'check_violation'; END $$;
            CREATE TRIGGER poison BEFORE DELETE ON activity_logs FOR EACH ROW
                WHEN (OLD.workspace_id = '%2$s') EXECUTE FUNCTION poison()
            """
                .formatted(of(feeds), poisoned.id()));
    try (Poison poison = Poison.of(SERVER, "activity-retention")) {
      SERVER.bean(ActivityRetention.class).sweep();

      assertThat(
              SERVER
                  .database()
                  .value(
                      "SELECT string_agg(workspace_id::text, ' ') FROM activity_logs WHERE"
                          + " created_at < now() - interval '30 days'"))
          .isEqualTo(poisoned.id().toString());
      SERVER.bean(ActivityRetention.class).sweep();
      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    } finally {
      SERVER.database().execute("DROP TRIGGER poison ON activity_logs; DELETE FROM activity_logs");
    }
  }

  /** The files of its notification cannot be read. */
  @Test
  void keepsNoLiveEventsOfOthers() throws Exception {
    List<Agent> feeds = feeds();
    Agent poisoned = feeds.getFirst();
    try (TestSocket canvas = TestSocket.open(CLIENT, "/ws", ADMIN_TOKEN);
        Poison poison = Poison.of(SERVER, "activity-event-relay")) {
      SERVER
          .database()
          .execute(
              """
              INSERT INTO activity_logs (workspace_id, seq, class, activity_type, method, source, status, response_body,
                  attachments, message_text, listed_bytes, response_bytes, created_at, feed_bytes)
              VALUES ('%1$s', 1, 'n', 'a2a_receive', 'notify', 'self', 'ok', '{', '[]', 'x', 0, 1, now(), 0);
              UPDATE activity_feeds SET last_seq = 1, last_created_at = now() WHERE workspace_id = '%1$s'
              """
                  .formatted(poisoned.id()));
      await().until(() -> poison.counted() >= 1);

      for (Agent other : feeds.subList(1, feeds.size())) {
        CLIENT.post(
            "/workspaces/" + other.id() + "/activity",
            other.token(),
            "{\"activity_type\":\"agent_log\"}");
        canvas.await(frame ->
            frame.path("event").asString().equals("ACTIVITY_LOGGED")
                && frame.path("workspace_id").asString().equals(other.id().toString()));
      }
      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
    }
  }
}
