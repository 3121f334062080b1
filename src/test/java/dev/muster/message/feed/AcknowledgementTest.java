package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.TestClient.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How far an agent has handled its feed (R6.7). */
class AcknowledgementTest {

  private final TestFeed feed = TestFeed.create("Handling");

  private void write(int rows) {
    for (int i = 0; i < rows; i++) {
      feed.receive(null, "message");
    }
  }

  private void assertAcknowledged(Answer answer, long seq) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"last_acked_seq\":" + seq + "}");
  }

  @Test
  void neverGoesBack() {
    write(5);

    assertAcknowledged(feed.acknowledge("3"), 3);
    assertAcknowledged(feed.acknowledge("1"), 3);
    assertAcknowledged(feed.acknowledge("3"), 3);
    assertAcknowledged(feed.acknowledge("0"), 3);
    assertAcknowledged(feed.acknowledge("-7"), 3);
    assertAcknowledged(feed.acknowledge("4.9"), 4);
    assertAcknowledged(feed.acknowledge("5.0"), 5);
    assertAcknowledged(feed.acknowledge("4"), 5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"6", "7", "9223372036854775807", "1000000000000000000000000000000", "1e30"})
  void neverGoesBeyondTheFeed(String seq) {
    write(5);
    feed.acknowledge("2");

    assertRefused(feed.acknowledge(seq), 400, "VALIDATION_FAILED");

    assertAcknowledged(feed.acknowledge("0"), 2);
    assertThat(feed.seqs("?type=a2a_receive")).containsExactly(3L, 4L, 5L);
  }

  @Test
  void isNothingOnAFeedWithoutRows() {
    assertAcknowledged(feed.acknowledge("0"), 0);
    assertRefused(feed.acknowledge("1"), 400, "VALIDATION_FAILED");
    write(1);
    assertAcknowledged(feed.acknowledge("1"), 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "\"1\"", "\"\"", "true", "[1]", "{}", "NaN", "1e999"})
  void isAWholeNumber(String seq) {
    write(1);

    assertRefused(feed.acknowledge(seq), 400, "VALIDATION_FAILED");
    assertRefused(
        feed.client().post(feed.path("/ack"), feed.agent().token(), "{}"),
        400,
        "VALIDATION_FAILED");
    assertThat(feed.seqs("?type=a2a_receive")).containsExactly(1L);
  }

  @Test
  void mayBeMadeByTheAdmin() {
    write(2);

    assertAcknowledged(
        feed.client().post(feed.path("/ack"), ADMIN_TOKEN, "{\"acked_seq\":1,\"x\":2}"), 1);
    assertThat(feed.seqs("?type=a2a_receive")).containsExactly(2L);
  }

  @Test
  void countsRowsThatAreGone() {
    write(2);
    String last = feed.receive(null, "last");
    feed.forget(last);

    assertAcknowledged(feed.acknowledge("3"), 3);
  }

  @Test
  void endsAtTheHighestOfManyAtOnce() {
    write(32);

    Race.run(32, runner -> feed.acknowledge(Integer.toString(runner + 1)))
        .forEach(answer -> assertThat(answer.status()).isEqualTo(200));

    assertAcknowledged(feed.acknowledge("0"), 32);
  }
}
