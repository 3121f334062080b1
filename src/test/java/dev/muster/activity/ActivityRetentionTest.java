package dev.muster.activity;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Rows go when their time is over: acknowledged ones sooner, and always a feed's oldest (R6.8). */
class ActivityRetentionTest {

  private static final TestServer SERVER = TestServer.start();

  private final TestClient client = SERVER.client();
  private final ActivityRetention retention = SERVER.bean(ActivityRetention.class);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void keepsAcknowledgedRowsForAWeek() {
    Agent agent = feedOf(6);
    growOld(agent, 8, 4);
    acknowledge(agent, 3);

    retention.sweep();

    assertThat(seqs(agent)).containsExactly(4L, 5L, 6L);
  }

  @Test
  void keepsWhatIsYoungerThanAWeekAlsoWhenItIsAcknowledged() {
    Agent agent = feedOf(3);
    growOld(agent, 6, 3);
    acknowledge(agent, 3);

    retention.sweep();

    assertThat(seqs(agent)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void keepsNothingLongerThanAMonth() {
    Agent agent = feedOf(4);
    growOld(agent, 31, 2);

    retention.sweep();

    assertThat(seqs(agent)).containsExactly(3L, 4L);
  }

  @Test
  void goesOnNumberingAfterTheLastRowIsGone() {
    Agent agent = feedOf(2);
    growOld(agent, 31, 2);
    retention.sweep();
    assertThat(seqs(agent)).isEmpty();

    append(agent);

    assertThat(seqs(agent)).containsExactly(3L);
  }

  @Test
  void deletesMoreThanABatchOfManyFeeds() {
    Agent hardlyAcknowledged = feedOf(700);
    Agent small = feedOf(1);
    Agent nearlyDone = feedOf(1200);
    for (Agent agent : List.of(hardlyAcknowledged, small, nearlyDone)) {
      growOld(agent, 8, 1200);
    }
    acknowledge(hardlyAcknowledged, 1);
    acknowledge(small, 1);
    acknowledge(nearlyDone, 1199);

    retention.sweep();

    assertThat(count(hardlyAcknowledged)).isEqualTo("699");
    assertThat(count(small)).isEqualTo("0");
    assertThat(count(nearlyDone)).isEqualTo("1");
  }

  /** Ids begin with their time, by which old rows are found. */
  private Agent feedOf(int rows) {
    Agent agent = client.create("keeper");
    append(agent);
    if (rows > 1) {
      SERVER
          .database()
          .execute(
              """
              INSERT INTO activity_logs (id, workspace_id, seq, activity_type, source, status, listed_bytes, created_at)
              SELECT overlay(id::text PLACING lpad(to_hex(n), 12, '0') FROM 25)::uuid, workspace_id, n, activity_type, source, status, listed_bytes,
                  created_at + make_interval(secs => n * 0.000001)
              FROM activity_logs, generate_series(2, %1$d) AS n WHERE workspace_id = '%2$s';
              UPDATE activity_feeds SET last_seq = %1$d WHERE workspace_id = '%2$s'
              """
                  .formatted(rows, agent.id()));
    }
    return agent;
  }

  private void append(Agent agent) {
    client.post(
        "/workspaces/" + agent.id() + "/activity",
        agent.token(),
        "{\"activity_type\":\"agent_log\"}");
  }

  private void acknowledge(Agent agent, long seq) {
    client.post(
        "/workspaces/" + agent.id() + "/activity/ack",
        agent.token(),
        "{\"acked_seq\":" + seq + "}");
  }

  /** As if they had been appended then, ids included. */
  private static void growOld(Agent agent, int days, int upTo) {
    SERVER
        .database()
        .execute(
            """
            UPDATE activity_logs SET
                created_at = created_at - make_interval(days => %1$d),
                id = (lpad(to_hex((extract(epoch FROM created_at - make_interval(days => %1$d)) * 1000)::bigint), 12, '0')
                    || substr(replace(id::text, '-', ''), 13))::uuid
            WHERE workspace_id = '%2$s' AND seq <= %3$d
            """
                .formatted(days, agent.id(), upTo));
  }

  private List<Long> seqs(Agent agent) {
    return client
        .get("/workspaces/" + agent.id() + "/activity?order=asc", ADMIN_TOKEN)
        .json()
        .valueStream()
        .map(row -> row.path("seq").asLong())
        .toList();
  }

  private static String count(Agent agent) {
    return SERVER
        .database()
        .value("SELECT count(*) FROM activity_logs WHERE workspace_id = '" + agent.id() + "'");
  }
}
