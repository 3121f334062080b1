package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.feed.FeedWakeUps.FeedTopic;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A poll that a new row wakes is answered from memory as one that reads the database. */
class RecentRowsTest {

  private static final TestServer SERVER = TestServer.start();
  private static final UUID PEER = SERVER.client().create("Peer").id();

  private static final List<String> QUERIES =
      List.of(
          "",
          "&type=a2a_receive",
          "&type=a2a_receive&include=notify",
          "&type=a2a_receive&include=self",
          "&type=a2a_receive&include=peer_info",
          "&type=agent_log",
          "&type=error&source=agent",
          "&source=canvas",
          "&type=a2a_receive&source=canvas",
          "&source=agent",
          "&order=desc",
          "&peer_id=" + PEER);

  /** A poll that waits, and its query, to compare with the same query without a wait. */
  private record Waiting(
      String what, TestFeed feed, String query, String token, CompletableFuture<Answer> answer) {}

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void areAnsweredAsTheyAreRead() {
    assertAnsweredAsRead(SERVER);
  }

  @Test
  void areAnsweredAsTheyAreReadOnAnotherReplica() {
    try (TestServer elsewhere = TestServer.startOn(SERVER.database())) {
      assertAnsweredAsRead(elsewhere);
    }
  }

  private static void assertAnsweredAsRead(TestServer polled) {
    Map<TestFeed, Consumer<TestFeed>> writers = new LinkedHashMap<>();
    for (Consumer<TestFeed> row : rows()) {
      writers.put(new TestFeed(SERVER, SERVER.client().create("Feed")), row);
    }
    List<Waiting> polls = new ArrayList<>();
    long others = new TestFeed(polled, writers.keySet().iterator().next().agent()).waiting();
    writers
        .keySet()
        .forEach(feed -> {
          String cursor = feed.log("the cursor");
          for (String query : QUERIES) {
            polls.add(
                waiting(feed.at(polled), "?since_id=" + cursor + query, feed.agent().token()));
            polls.add(waiting(feed.at(polled), "?since_id=" + cursor + query, ADMIN_TOKEN));
          }
        });
    await().until(() -> polls.getFirst().feed().waiting() == others + polls.size());

    RecentRows recent = polled.bean(RecentRows.class);
    writers.forEach((feed, row) -> {
      row.accept(feed);
      await()
          .pollInterval(Duration.ofMillis(10))
          .untilAsserted(
              () -> assertThat(recent.after(feed.id(), 1)).as(feed.newest().toString()).hasSize(1));
    });

    int answered = 0;
    for (Waiting poll : polls) {
      Answer read = polled.client().get(poll.feed().path(poll.query()), poll.token());
      if (read.text().equals("[]")) {
        assertThat(poll.answer()).as(poll.what()).isNotDone();
      } else {
        await().atMost(Duration.ofSeconds(20)).until(poll.answer()::isDone);
        assertThat(poll.answer().join().text()).as(poll.what()).isEqualTo(read.text());
        answered++;
      }
    }
    assertThat(answered).isBetween(polls.size() / 4, polls.size() - 1);
  }

  private static Waiting waiting(TestFeed feed, String query, String token) {
    return new Waiting(
        query + " of " + feed.id(), feed, query, token, feed.poll(query + "&wait=60", token));
  }

  private static List<Consumer<TestFeed>> rows() {
    String odd = "é \uD83D\uDE00 \\u0000 \\n \\\" <b>";
    return List.of(
        feed -> feed.receive(null, "from the canvas"),
        feed -> feed.receive(PEER, "from a peer"),
        feed -> feed.receive(feed.id(), "from itself"),
        feed ->
            feed.receiveRequest(
                PEER,
                TestFeed.request("m\\u0000-1", "{\"kind\":\"text\",\"text\":\"" + odd + "\"}")),
        feed -> feed.notify("\"message\":\"" + odd + "\""),
        RecentRowsTest::delegate,
        feed -> feed.log(odd),
        feed ->
            feed.reported(
                "\"activity_type\":\"error\",\"error_detail\":\"" + odd + "\",\"duration_ms\":12"),
        feed ->
            feed.reported(
                "\"activity_type\":\"a2a_receive\",\"request_body\":{\"b\" : 1,\"a\":[1.50]}"),
        feed ->
            feed.reported(
                "\"activity_type\":\"a2a_send\",\"target_id\":\""
                    + PEER
                    + "\",\"response_body\":{\"text\":\""
                    + odd
                    + "\"},\"tool_trace\":[{\"tool\":\"grep\"}],\"method\":\"message/send\""));
  }

  /** Its row is stored in the transaction of the delegation, not in a batch. */
  private static void delegate(TestFeed caller) {
    Agent callee = SERVER.client().create("Callee", "\"parent_id\":\"" + caller.id() + "\"");
    Answer accepted =
        SERVER
            .client()
            .post(
                "/workspaces/" + caller.id() + "/delegate",
                caller.agent().token(),
                "{\"target_id\":\"" + callee.id() + "\",\"task\":\"é work\"}");
    assertThat(accepted.status()).as(accepted.text()).isEqualTo(202);
  }

  /** Waits until the feed's poll has read its only row and waits for the next. */
  private static void awaitPoll(TestFeed feed) {
    LongPollRegistry polls = SERVER.bean(LongPollRegistry.class);
    await().until(() -> polls.seenByAll(new FeedTopic(feed.id())).orElse(0) == 1);
  }

  @Test
  void areNotKeptWithoutAPoll() {
    TestFeed feed = new TestFeed(SERVER, SERVER.client().create("Alone"));
    feed.log("one");
    assertThat(SERVER.bean(RecentRows.class).after(feed.id(), 0)).isEmpty();
  }

  @Test
  void areNotServedAcrossAMissingRow() {
    TestFeed feed = new TestFeed(SERVER, SERVER.client().create("Gap"));
    String cursor = feed.log("the cursor");
    CompletableFuture<Answer> poll = feed.poll("?type=error&since_id=" + cursor + "&wait=60");
    awaitPoll(feed);

    feed.receive(null, "too large ".repeat(2_000));
    feed.log("small");

    RecentRows recent = SERVER.bean(RecentRows.class);
    assertThat(recent.after(feed.id(), 1)).isEmpty();
    assertThat(recent.after(feed.id(), 2)).extracting(one -> one.row().seq()).containsExactly(3L);
    assertThat(poll).isNotDone();
    feed.reported("\"activity_type\":\"error\"");
    await().atMost(Duration.ofSeconds(20)).until(poll::isDone);
  }

  @Test
  void areReadOnceWhenTheirNotificationIsLost() {
    TestFeed feed = new TestFeed(SERVER, SERVER.client().create("Not notified"));
    String cursor = feed.log("the cursor");
    CompletableFuture<Answer> poll = feed.poll("?type=error&since_id=" + cursor + "&wait=60");
    awaitPoll(feed);

    SERVER
        .database()
        .execute(
            """
            WITH feed AS (
                UPDATE activity_feeds SET last_seq = 2 WHERE workspace_id = '%1$s')
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status,
                listed_bytes, created_at, feed_bytes)
            SELECT workspace_id, 2, class, activity_type, source, status, listed_bytes,
                created_at, feed_bytes
            FROM activity_logs WHERE workspace_id = '%1$s'\
            """
                .formatted(feed.id()));

    RecentRows recent = SERVER.bean(RecentRows.class);
    await().pollInterval(Duration.ofMillis(10)).until(() -> !recent.after(feed.id(), 1).isEmpty());
    assertThat(poll).isNotDone();
  }

  @Test
  void areTheRowsAfterTheCursor() {
    TestFeed feed = new TestFeed(SERVER, SERVER.client().create("Followed"));
    String cursor = feed.log("the cursor");
    CompletableFuture<Answer> poll = feed.poll("?type=a2a_receive&since_id=" + cursor + "&wait=60");
    awaitPoll(feed);
    feed.log("not asked for");
    feed.log("nor this");
    assertThat(poll).isNotDone();
    RecentRows recent = SERVER.bean(RecentRows.class);
    assertThat(recent.after(feed.id(), 1))
        .extracting(one -> one.row().seq())
        .containsExactly(2L, 3L);
    assertThat(recent.after(feed.id(), 2)).extracting(one -> one.row().seq()).containsExactly(3L);
    assertThat(recent.after(feed.id(), 3)).isEmpty();
    String accepted = feed.receive(null, "hello");
    await().atMost(Duration.ofSeconds(20)).until(poll::isDone);
    assertThat(TestFeed.rowsOf(poll.join()).path(0).path("id").asString()).isEqualTo(accepted);
  }
}
