package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cursor whose row is not in the feed is lost, for whatever reason (R6.2). */
class FeedCursorTest {

  private static final TestFeed FEED = TestFeed.create("Polling");
  private static final TestFeed OTHER = TestFeed.create("Other");

  static {
    FEED.receive(null, "kept");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "0",
        "1",
        "null",
        "undefined",
        "%00",
        "%20",
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-4000-8000-000000000000",
        "01930000-0000-7000-8000-00000000000",
        "1-1-1-1-1",
        "0193%F0%9F%9A%80",
        "'; DROP TABLE activity_logs; --"
      })
  void isLostWhenItIsNotARow(String cursor) {
    String encoded = cursor.replace(" ", "%20");
    assertLost(FEED.get("?since_id=" + encoded));
    assertLost(FEED.get("?type=a2a_receive&limit=7&since_id=" + encoded));
    assertLost(FEED.getAsAdmin("?order=desc&since_id=" + encoded));
  }

  @Test
  void isLostWhenItsRowIsGone() {
    String gone = FEED.log("gone");
    FEED.receive(null, "later");
    assertThat(FEED.rows("?since_id=" + gone)).isNotEmpty();

    FEED.forget(gone);

    assertLost(FEED.get("?since_id=" + gone));
    assertLost(FEED.getAsAdmin("?since_id=" + gone));
  }

  @Test
  void isLostAtOnceAlsoForAPollThatWouldWait() {
    assertLost(FEED.get("?wait=60&type=a2a_receive&since_id=" + UUID.randomUUID()));
  }

  @Test
  void isLostOnAFeedThatWasNeverWrittenTo() {
    TestFeed empty = TestFeed.create("Empty");

    assertLost(empty.get("?since_id=" + UUID.randomUUID()));
    assertLost(empty.get("?since_id=x"));
    assertThat(empty.get("").text()).isEqualTo("[]");
    assertThat(empty.get("?type=a2a_receive&since_secs=5").text()).isEqualTo("[]");
  }

  /** The answer does not show whether a row of another feed exists. */
  @Test
  void isLostWithTheSameAnswerWhenItIsARowOfAnotherFeed() {
    String gone = FEED.log("gone");
    FEED.forget(gone);
    String unknown = answerWithoutRequestId(UUID.randomUUID().toString());

    for (String cursor :
        new String[] {OTHER.receive(null, "theirs"), gone, FEED.id().toString(), "x"}) {
      assertThat(answerWithoutRequestId(cursor)).as(cursor).isEqualTo(unknown);
    }
  }

  private static String answerWithoutRequestId(String cursor) {
    Answer answer = FEED.get("?since_id=" + cursor);
    assertLost(answer);
    Set<String> headers = new TreeSet<>(answer.headers().map().keySet());
    String requestId = answer.field("request_id");
    assertThat(requestId).isNotEmpty();
    return headers + answer.text().replace(requestId, "");
  }

  @Test
  void mayBeARowThatThePollFiltersOut() {
    TestFeed feed = TestFeed.create("Own");
    String own = feed.reported("\"activity_type\":\"a2a_receive\"");
    feed.receive(null, "heard");

    assertThat(feed.seqs("?type=a2a_receive&since_id=" + own)).containsExactly(2L);
  }

  @Test
  void staysValidWhenAllRowsBeforeItAreDeleted() {
    TestFeed feed = TestFeed.create("Aged");
    String first = feed.receive(null, "1");
    String second = feed.receive(null, "2");
    feed.receive(null, "3");
    feed.forget(first);

    assertThat(feed.seqs("?since_id=" + second)).containsExactly(3L);
    assertThat(feed.seqs("?type=a2a_receive")).containsExactly(2L, 3L);
  }

  private static void assertLost(Answer answer) {
    assertRefused(answer, 410, "CURSOR_GONE");
    assertThat(answer.field("error")).contains("omit since_id to reset");
    assertThat(answer.json().propertyNames()).doesNotContain("removed_at");
  }

  @Test
  void namesOneRowOfTheFeedAndNoOther() {
    String mine = FEED.receive(null, "mine");
    String theirs = OTHER.receive(null, "theirs");

    assertThat(FEED.one(mine).field("id")).isEqualTo(mine);
    assertRefused(FEED.one(theirs), 404, "NOT_FOUND");
    assertRefused(FEED.one(UUID.randomUUID().toString()), 404, "NOT_FOUND");
    for (String bad : new String[] {"x", "1", "%20", mine + "0", "1-1-1-1-1"}) {
      assertRefused(FEED.one(bad), 400, "INVALID_ID");
    }
    FEED.forget(mine);
    assertRefused(FEED.one(mine), 404, "NOT_FOUND");
    assertRefused(
        FEED.client().get("/workspaces/" + UUID.randomUUID() + "/activity/" + theirs, ADMIN_TOKEN),
        404,
        "WORKSPACE_NOT_FOUND");
  }
}
