package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.ReadPositions;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much a feed keeps for an agent that does not read it (R6.7a). */
@Slow
@Timeout(90)
class FeedQuotaTest {

  private static final int MAX_ROWS = 4;

  private static final TestServer SERVER =
      TestServer.start(
          "FEED_MAX_ROWS=" + MAX_ROWS, "FEED_MAX_BYTES=64KiB", "AGENT_URL_ALLOW=loopback");

  private final TestFeed feed = new TestFeed(SERVER, SERVER.client().create("Reader"));

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private void fill() {
    for (int i = 0; i < MAX_ROWS; i++) {
      feed.log("row " + i);
    }
  }

  private Answer report() {
    return feed.report("\"activity_type\":\"agent_log\"");
  }

  private static void assertFull(Answer answer) {
    assertRefused(answer, 429, "FEED_FULL");
    assertThat(answer.header("Retry-After")).isEqualTo("60");
  }

  private static Answer send(Agent to, String id, String text) {
    String message =
        """
        {"method":"message/send","params":{"message":{"messageId":"%s","content":"%s"}}}\
        """
            .formatted(id, text);
    return SERVER.client().post("/workspaces/" + to.id() + "/a2a", ADMIN_TOKEN, message);
  }

  private String count() {
    return SERVER
        .database()
        .value("SELECT count(*) FROM activity_logs WHERE workspace_id = '" + feed.id() + "'");
  }

  @Test
  void refusesAnOwnRowBeyondTheShare() {
    fill();

    assertFull(report());
    assertFull(feed.notify("\"message\":\"hi\""));
    assertThat(report().field("error")).contains(feed.id().toString(), "4 unread rows", "acknowl");
    assertThat(count()).isEqualTo("4");
  }

  @Test
  void acceptsRowsAgainAfterAnAcknowledgement() {
    fill();
    assertFull(report());

    assertThat(feed.acknowledge("2").status()).isEqualTo(200);

    assertThat(report().status()).isEqualTo(200);
    assertThat(report().status()).isEqualTo(200);
    assertFull(report());
  }

  @Test
  void acceptsRowsAgainAfterAPoll() {
    for (int i = 0; i < MAX_ROWS; i++) {
      feed.receive(null, "message " + i);
    }
    String third = feed.rows("?type=a2a_receive").path(2).path("id").asString();

    feed.rows("?type=a2a_receive&since_id=" + third);
    SERVER.bean(ReadPositions.class).write();

    await().until(() -> readSeq().equals("3")); // the server's own run may be writing it
    IntStream.range(0, 3).forEach(i -> assertThat(report().status()).isEqualTo(200));
    assertFull(report());
  }

  @Test
  void keepsTheHighestCursorOfTheAgentOnly() {
    for (int i = 0; i < MAX_ROWS; i++) {
      feed.receive(null, "message " + i);
    }
    var rows = feed.rows("?type=a2a_receive");
    String first = rows.path(0).path("id").asString();
    String third = rows.path(2).path("id").asString();

    feed.rowsForAdmin("?type=a2a_receive&since_id=" + TestFeed.idOfLast(rows));
    feed.rows("?type=a2a_receive&since_id=" + third);
    feed.rows("?type=a2a_receive&since_id=" + first);

    await().until(() -> readSeq().equals("3"));
    feed.rows("?type=a2a_receive&since_id=" + first);
    SERVER.bean(ReadPositions.class).write();
    assertThat(readSeq()).isEqualTo("3");

    // a position of a replica that is behind
    SERVER.bean(ReadPositions.class).move(feed.id(), 1);
    SERVER.bean(ReadPositions.class).write();
    assertThat(readSeq()).isEqualTo("3");
  }

  @Test
  void acceptsARowThatFitsExactly() {
    feed.log("row 0");
    long before = totalBytes();
    feed.log("row 1");
    long row = totalBytes() - before;
    SERVER
        .database()
        .execute(
            "UPDATE activity_feeds SET total_bytes = %d WHERE workspace_id = '%s'"
                .formatted((64 << 10) - row, feed.id()));

    feed.log("row 2");

    assertThat(totalBytes()).isEqualTo(64 << 10);
    assertFull(report());
  }

  private long totalBytes() {
    return Long.parseLong(
        SERVER
            .database()
            .value(
                "SELECT total_bytes FROM activity_feeds WHERE workspace_id = '" + feed.id() + "'"));
  }

  /** Own rows are not part of an agent's poll, so a poll past them counts as reading them. */
  @Test
  void isNeverFullOfOwnRowsWhenTheAgentPolls() {
    for (int i = 0; i < 5; i++) {
      fill();
      assertThat(feed.seqs("?type=a2a_receive")).isEmpty();
      SERVER.bean(ReadPositions.class).write();
    }
    assertThat(count()).isEqualTo("20");
  }

  @Test
  void doesNotCountAFilteredPollAsReading() {
    fill();
    feed.seqs("?type=a2a_receive&source=agent");
    feed.seqs("?type=a2a_receive&since_secs=1");
    feed.seqsForAdmin("?type=a2a_receive");

    SERVER.bean(ReadPositions.class).write();

    assertThat(readSeq()).isEqualTo("0");
    assertFull(report());
  }

  private String readSeq() {
    return SERVER
        .database()
        .value("SELECT read_seq FROM activity_feeds WHERE workspace_id = '" + feed.id() + "'");
  }

  @Test
  void refusesMessagesToAPollAgentThatDoesNotRead() {
    assertThat(send(feed.agent(), "m-0", "hi").status()).isEqualTo(200);
    IntStream.range(1, MAX_ROWS).forEach(i -> feed.log("row " + i));

    Answer refused = send(feed.agent(), "m-1", "hi");

    assertRefused(refused, 503, "QUEUE_FULL");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    assertThat(refused.field("error")).contains(feed.id().toString(), "has not read");
    assertThat(count()).isEqualTo("4");
  }

  @Test
  void answersADuplicateOfAStoredMessage() {
    Answer first = send(feed.agent(), "m-0", "hi");
    IntStream.range(1, MAX_ROWS).forEach(i -> feed.log("row " + i));

    assertThat(send(feed.agent(), "m-0", "hi").text()).isEqualTo(first.text());
    assertRefused(send(feed.agent(), "m-0", "other"), 409, "MESSAGE_ID_REUSED");
  }

  @Test
  void alwaysStoresRowsOfTheControlPlane() {
    fill();
    UUID callee = SERVER.client().create("Callee").id();
    NewActivity result =
        NewActivity.delegateResult(
            feed.id(),
            callee,
            "Delegation result: done",
            new RawJson("{}"),
            new RawJson("{\"text\":\"done\"}"),
            MessageContent.EMPTY,
            ActivityResult.OK);

    assertThat(SERVER.bean(MessageStore.class).append(result))
        .isInstanceOf(AppendResult.Stored.class);
    assertFull(report());
  }

  @Test
  void countsBytesOfAllKinds() {
    String body = "\"" + "ä".repeat(12_000) + "\"";

    assertThat(logged("\"request_body\":" + body)).isEqualTo(200);
    assertThat(logged("\"tool_trace\":" + body)).isEqualTo(200);
    assertFull(feed.report("\"activity_type\":\"agent_log\",\"response_body\":" + body));
    assertThat(report().status()).isEqualTo(200);
    feed.acknowledge("1");
    assertThat(logged("\"response_body\":" + body)).isEqualTo(200);
  }

  private int logged(String field) {
    return feed.report("\"activity_type\":\"agent_log\"," + field).status();
  }

  @Test
  void acceptsOneRowOfAnySize() {
    String large = "\"" + "x".repeat(200_000) + "\"";

    assertThat(logged("\"request_body\":" + large)).isEqualTo(200);
    assertFull(report());
    feed.acknowledge("1");
    assertThat(logged("\"request_body\":" + large)).isEqualTo(200);
  }

  @Test
  void countsNoDeletedRows() {
    List<String> ids = new ArrayList<>();
    IntStream.range(0, MAX_ROWS).forEach(i -> ids.add(feed.log("row " + i)));
    assertFull(report());

    feed.forget(ids.get(0));
    feed.forget(ids.get(1));

    assertThat(report().status()).isEqualTo(200);
    assertThat(report().status()).isEqualTo(200);
    assertFull(report());
  }

  @Test
  void acceptsPushedMessagesAndCountsThemAsRead() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
      TestFeed called =
          new TestFeed(
              SERVER,
              SERVER
                  .client()
                  .createOnline(
                      "Called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\""));
      IntStream.range(0, MAX_ROWS).forEach(i -> called.log("row " + i));
      assertFull(called.report("\"activity_type\":\"agent_log\""));

      for (int i = 0; i < 2 * MAX_ROWS; i++) {
        assertThat(send(called.agent(), "m-" + i, "hi").status()).isEqualTo(200);
      }

      called.log("goes on");
    }
  }

  @Test
  void refusesOnlyTheRowsOfTheFullFeed() {
    fill();
    TestFeed other = new TestFeed(SERVER, SERVER.client().create("Other"));
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 2 * MAX_ROWS; i++) {
      TestFeed one = i % 2 == 0 ? feed : other;
      answers.add(
          CompletableFuture.supplyAsync(() ->
              SERVER
                  .client()
                  .post(one.path(""), one.agent().token(), "{\"activity_type\":\"agent_log\"}")));
    }

    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).join().status()).isEqualTo(i % 2 == 0 ? 429 : 200);
    }
  }
}
