package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads of feeds with many rows that they do not ask for (R6.2, R6.3). */
@Slow
@Timeout(90)
class LongFeedTest {

  private static final int DELIVERED = 2 * FeedPages.MAX_EXAMINED_WITH_OUTCOME + 1_000;
  private static final int OWN = FeedPages.MAX_EXAMINED + 1_000;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Pattern NEXT = Pattern.compile("<.*(\\?.*)>; rel=\"next\"");
  private static final String POLL = "?type=a2a_receive";

  private final TestFeed feed = TestFeed.create("Long");

  /** Appends messages of the canvas, all delivered by push. */
  private void deliver(int number) {
    append(number, "c", "a2a_receive", "canvas_user", "'m-' || n");
    execute(
        """
        INSERT INTO delivery_outcomes (workspace_id, seq, state, owner, claim, deliveries, answer_status, answer_type,
            response, response_bytes, listed_bytes, status, duration_ms, ended_at, kind, priority, attempts,
            enqueued_at, expires_at)
        SELECT workspace_id, seq, 'answered', workspace_id, 1, 1, 200, 'application/json',
            '{}', 2, 2, 'ok', 1, now(), 'message', 50, 1,
            created_at, created_at
        FROM activity_logs WHERE workspace_id = '%s' AND message_id IS NOT NULL
        ON CONFLICT DO NOTHING
        """);
  }

  private void log(int number) {
    append(number, "L", "agent_log", "self", "NULL");
  }

  private void append(int number, String letter, String type, String source, String messageId) {
    execute(
        """
        INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, method, status, message_text,
            message_id, listed_bytes, created_at, feed_bytes)
        SELECT workspace_id, last_seq + n, '%s', '%s', '%s', 'message/send', 'ok', 'text', %s, 100,
            greatest(last_created_at, now() - interval '1 hour') + n * interval '1 us', 0
        FROM activity_feeds CROSS JOIN generate_series(1, %d) AS n WHERE workspace_id = '%s';
        UPDATE activity_feeds f SET last_seq = l.seq, last_created_at = l.created_at
        FROM activity_logs l
        WHERE f.workspace_id = '%6$s' AND l.workspace_id = f.workspace_id AND l.seq = f.last_seq + %5$d
        """
            .formatted(letter, type, source, messageId, number, feed.id()));
  }

  private void execute(String sql) {
    feed.server().database().execute(sql.formatted(feed.id()));
  }

  private long mark() {
    return Long.parseLong(
        feed.server()
            .database()
            .value(
                "SELECT delivered_seq FROM activity_feeds WHERE workspace_id = '%s'"
                    .formatted(feed.id())));
  }

  private void changeMode(String mode) {
    Answer answer =
        feed.client()
            .patch(
                "/workspaces/" + feed.id(),
                ADMIN_TOKEN,
                "{\"delivery_mode\":\"%s\",\"url\":\"http://127.0.0.1:9/\"}".formatted(mode));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  @Test
  void aPollStartsBehindTheDeliveredMessages() {
    deliver(DELIVERED);

    assertThat(feed.rows(POLL)).isEmpty();

    await().atMost(LIMIT).until(() -> mark() == DELIVERED);
    feed.receive(null, "the next");
    assertThat(feed.seqs(POLL)).containsExactly(DELIVERED + 1L);
  }

  @Test
  void aWaitingPollFindsWhatIsBehindTheDeliveredMessages() {
    deliver(DELIVERED);
    feed.receive(null, "the next");

    assertThat(feed.seqs(POLL + "&wait=30")).containsExactly(DELIVERED + 1L);
  }

  @Test
  void theMarkMovesWhenTheAgentBeginsToPoll() {
    changeMode("push");
    deliver(DELIVERED);

    changeMode("poll");

    await().atMost(LIMIT).until(() -> mark() == DELIVERED);
  }

  @Test
  void aPollGivesExactlyWhatFollowsTheDeliveredMessagesThatAreDeleted() {
    changeMode("push");
    deliver(200);
    changeMode("poll");
    await().atMost(LIMIT).until(() -> mark() == 200);

    deleteByAge(200);

    assertThat(feed.rows(POLL)).isEmpty();
    feed.receive(null, "first");
    feed.receive(null, "second");
    assertThat(feed.seqs(POLL)).containsExactly(201L, 202L);
    assertThat(feed.seqs(POLL + "&wait=30")).containsExactly(201L, 202L);
    assertThat(feed.acknowledge("201").status()).isEqualTo(200);
    assertThat(feed.seqs(POLL)).containsExactly(202L);
  }

  /** Only polls without a cursor leave out what was delivered. */
  @Test
  void aCursorBeforeTheMarkIsFollowedUntilItsRowIsDeleted() {
    String first = feed.receive(null, "read by a poll");
    feed.acknowledge("1");
    changeMode("push");
    deliver(10);
    changeMode("poll");
    await().atMost(LIMIT).until(() -> mark() == 11);
    feed.receive(null, "the next");

    assertThat(feed.seqs(POLL + "&since_id=" + first))
        .containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);

    deleteByAge(5);

    assertRefused(feed.get(POLL + "&since_id=" + first), 410, "CURSOR_GONE");
    assertThat(feed.seqs(POLL)).containsExactly(12L);
  }

  /** Lets the retention delete the first rows, which are too old then. */
  private void deleteByAge(int rows) {
    execute(
        "UPDATE activity_logs SET created_at = created_at - interval '3 days'"
            + " WHERE workspace_id = '%s' AND seq <= "
            + rows);
    RetentionRepository retention = feed.server().bean(RetentionRepository.class);
    Instant before = retention.timeAgo(Duration.ofDays(2));

    assertThat(retention.deleteBefore(before, before, new HashMap<>(Map.of(feed.id(), 0L))))
        .isEqualTo(rows);
  }

  @Test
  void aMessageThatWasNotDeliveredIsReadFirst() {
    deliver(100);
    execute("UPDATE delivery_outcomes SET state = 'refused' WHERE workspace_id = '%s' AND seq = 7");
    deliver(DELIVERED);
    feed.receive(null, "the next");

    assertThat(feed.seqs(POLL)).containsExactly(7L);
    assertThat(feed.acknowledge("7").status()).isEqualTo(200);
    assertThat(feed.seqs(POLL + "&wait=30")).containsExactly(100L + DELIVERED + 1);
  }

  /** It may end undelivered, and must be found then. */
  @Test
  void theMarkStopsAtAMessageInDelivery() {
    deliver(DELIVERED);
    execute(
        """
        DELETE FROM delivery_outcomes WHERE workspace_id = '%1$s' AND seq = 7;
        INSERT INTO replicas (id, name, started_at, alive_until)
        VALUES ('%1$s', 'another', now(), now() + interval '1 hour');
        INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at,
            owner, claim, claimed_at)
        SELECT workspace_id, seq, 'message', false, 0, 50, now(), now(), now() + interval '1 hour', workspace_id, 1, now()
        FROM activity_logs WHERE workspace_id = '%1$s' AND seq = 7
        """);

    assertThat(feed.rows(POLL)).isEmpty();
    await().atMost(LIMIT).until(() -> mark() == 6);
    assertThat(feed.rows(POLL)).isEmpty();
    execute(
        """
        DELETE FROM deliveries WHERE workspace_id = '%1$s' AND seq = 7;
        DELETE FROM replicas WHERE id = '%1$s'
        """);

    assertThat(feed.seqs(POLL)).containsExactly(7L);
  }

  @Test
  void notificationsAmongDeliveredMessagesAreRead() {
    deliver(10);
    feed.notify("\"message\":\"mine\"");
    deliver(DELIVERED);
    feed.rows(POLL);
    await().atMost(LIMIT).until(() -> mark() == DELIVERED + 11);

    assertThat(feed.seqs(POLL + "&include=notify")).containsExactly(11L);
    assertThat(feed.rows(POLL)).isEmpty();
  }

  @Test
  void aChangeToPushQueuesOnlyWhatIsBehindTheMark() {
    deliver(DELIVERED);
    feed.receive(null, "the next");
    feed.rows(POLL);
    await().atMost(LIMIT).until(() -> mark() == DELIVERED);

    changeMode("push");

    assertThat(
            feed.server()
                .database()
                .value(
                    "SELECT string_agg(seq::text, ',') FROM deliveries WHERE workspace_id = '%s'"
                        .formatted(feed.id())))
        .isEqualTo(Integer.toString(DELIVERED + 1));
  }

  @Test
  void aReadThatExaminesTooManyRowsSaysWhereToGoOn() {
    Agent peer = feed.client().create("Peer");
    feed.receive(peer.id(), "old");
    log(OWN);
    feed.receive(peer.id(), "new");

    assertThat(follow("?source=agent")).containsExactly(OWN + 2L, 1L);
    assertThat(follow("?source=agent&order=asc")).containsExactly(1L, OWN + 2L);
    assertThat(follow("?source=agent&limit=1")).containsExactly(OWN + 2L);
  }

  /** Returns the rows of all pages, which are more than one unless the first is full. */
  private List<Long> follow(String query) {
    List<Long> seqs = new ArrayList<>();
    String page = query;
    for (int pages = 1; ; pages++) {
      Answer answer = feed.getAsAdmin(page);
      seqs.addAll(TestFeed.seqs(TestFeed.rowsOf(answer)));
      Matcher next = NEXT.matcher(answer.header("Link"));
      if (!next.matches()) {
        assertThat(pages).isEqualTo(query.contains("limit=1") ? 1 : 2);
        return seqs;
      }
      page = next.group(1);
    }
  }

  @Test
  void aWaitingReadGoesOnByItself() {
    Agent peer = feed.client().create("Peer");
    String query = "?source=agent&since_id=" + feed.log("first");
    log(OWN);

    CompletableFuture<Answer> held = feed.poll(query + "&wait=30");
    await().atMost(LIMIT).until(() -> feed.waiting() > 0);
    feed.receive(peer.id(), "new");

    assertThat(TestFeed.seqs(TestFeed.rowsOf(held.join()))).containsExactly(OWN + 2L);
    assertThat(feed.seqs(query + "&wait=30")).containsExactly(OWN + 2L);
    assertThat(feed.rows(query)).isEmpty();
  }

  @Test
  void anIndexedReadIsNotBounded() {
    Agent peer = feed.client().create("Peer");
    feed.receive(peer.id(), "old");
    log(OWN);

    Answer answer = feed.getAsAdmin("?peer_id=" + peer.id());

    assertThat(TestFeed.seqs(TestFeed.rowsOf(answer))).containsExactly(1L);
    assertThat(answer.header("Link")).isEmpty();
  }
}
