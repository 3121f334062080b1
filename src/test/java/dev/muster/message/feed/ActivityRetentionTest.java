package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.store.ActivitySettings;
import dev.muster.platform.settings.TestSettings;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows are deleted by age: acknowledged ones sooner, and always the oldest of a feed first (R6.8).
 */
@Slow
@Tag("sql")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of ActivityRetentionTest")
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

  /** Otherwise a message that may wait longer than the retention would be lost. */
  @Test
  void keepsARowWhoseDeliveryIsOpen() {
    Agent agent = feedOf(3);
    SERVER
        .database()
        .execute(
            """
            INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
            SELECT workspace_id, seq, 'message', true, 1, 50, now(), now(), now() + interval '1 day'
            FROM activity_logs WHERE workspace_id = '%s' AND seq = 2
            """
                .formatted(agent.id()));
    growOld(agent, 31, 3);

    retention.sweep();

    assertThat(seqs(agent)).contains(2L).doesNotContain(1L);
    SERVER.database().execute("DELETE FROM deliveries WHERE workspace_id = '" + agent.id() + "'");
    retention.sweep();
    assertThat(seqs(agent)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "1",
        "+1",
        "10000",
        "10001",
        "20780",
        "20781",
        "36500",
        "2147483647",
        "2147483648",
        "99999999999999999999999",
        "1e9",
        "a week"
      })
  void keepsWhatIsYoungerThanADayWhateverTheSettings(String days) {
    Agent agent = feedOf(3);
    growOldByHours(agent, 23, 2);
    acknowledge(agent, 3);
    new ActivityRetention(
            SERVER.bean(RetentionRepository.class),
            TestSettings.read(
                ActivitySettings.class,
                "ACTIVITY_RETENTION_DAYS=" + days,
                "ACTIVITY_HARD_RETENTION_DAYS=" + days),
            new SimpleMeterRegistry())
        .sweep();

    assertThat(seqs(agent)).containsExactly(1L, 2L, 3L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z"})
  void deletesNothingYoungerThanADayByAnyTime(String time) {
    RetentionRepository repository = SERVER.bean(RetentionRepository.class);
    Agent agent = feedOf(3);
    growOldByHours(agent, 23, 2);
    acknowledge(agent, 3);

    repository.deleteBefore(Instant.parse(time), Instant.parse(time), deletedTo(agent, 0));

    assertThat(seqs(agent)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void deletesNothingByATimeBeforeAllIds() {
    Agent agent = feedOf(3);
    growOld(agent, 8, 3);
    RetentionRepository repository = SERVER.bean(RetentionRepository.class);

    Instant longAgo = Instant.parse("1926-01-01T00:00:00Z");
    assertThat(repository.deleteBefore(longAgo, longAgo, deletedTo(agent, 0))).isZero();

    assertThat(seqs(agent)).containsExactly(1L, 2L, 3L);
  }

  /** Otherwise each batch would read the index entries of all rows that were deleted before. */
  @Test
  void looksOnlyBehindWhatItHasDeleted() {
    Agent agent = feedOf(4);
    growOld(agent, 3, 3); // the server's own run keeps them
    RetentionRepository repository = SERVER.bean(RetentionRepository.class);
    Map<UUID, Long> deletedTo = deletedTo(agent, 1);
    Instant before = repository.timeAgo(Duration.ofDays(2));

    assertThat(repository.deleteBefore(before, before, deletedTo)).isEqualTo(2);

    assertThat(seqs(agent)).containsExactly(1L, 4L);
    assertThat(deletedTo).containsExactly(Map.entry(agent.id(), 3L));
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

    await().until(() -> count(hardlyAcknowledged).equals("699")); // the server's own run may help
    await().until(() -> count(small).equals("0"));
    await().until(() -> count(nearlyDone).equals("1"));
  }

  private static Map<UUID, Long> deletedTo(Agent agent, long seq) {
    return new HashMap<>(Map.of(agent.id(), seq));
  }

  private Agent feedOf(int rows) {
    Agent agent = client.create("keeper");
    append(agent);
    if (rows > 1) {
      SERVER
          .database()
          .execute(
              """
              INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
              SELECT workspace_id, n, class, activity_type, source, status, listed_bytes,
                  created_at + make_interval(secs => n * 0.000001), 0
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

  private static void growOld(Agent agent, int days, int upTo) {
    growOldByHours(agent, 24 * days, upTo);
  }

  /** Makes rows as old as if they had been appended then. */
  private static void growOldByHours(Agent agent, int hours, int upTo) {
    SERVER
        .database()
        .execute(
            """
            UPDATE activity_logs SET
                created_at = created_at - make_interval(hours => %1$d)
            WHERE workspace_id = '%2$s' AND seq <= %3$d
            """
                .formatted(hours, agent.id(), upTo));
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
