package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.feed.FeedPosition.Marks;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Where a reading of a feed begins and ends, by its parameters (R6.2, R6.3). */
class FeedPositionTest {

  /**
   * The positions of a feed of 20 rows: 5 is acknowledged, 7 read, 6 delivered, 9 the cursor's, 11
   * too old, 15 before the time.
   */
  private static Marks marks(boolean hasCursor) {
    return new Marks(20, 5, 7, 6, false, hasCursor ? Optional.of(9L) : Optional.empty(), 11, 15);
  }

  @ParameterizedTest
  @CsvSource({
    "false, '', 0, 0, 9223372036854775807",
    "true, '', 0, 0, 9223372036854775807",
    "true, type=a2a_receive, 6, 6, 9223372036854775807",
    "false, type=a2a_receive, 0, 0, 9223372036854775807",
    "true, type=a2a_receive&source=canvas, 0, 0, 9223372036854775807",
    "true, type=a2a_receive&since_id=x, 9, 9, 9223372036854775807",
    "true, type=a2a_receive&since_id=x&since_secs=1, 11, 11, 9223372036854775807",
    "true, type=a2a_receive&since_secs=1, 11, 11, 9223372036854775807",
    "false, since_id=x, 9, 9, 9223372036854775807",
    "false, since_secs=1, 11, 11, 9223372036854775807",
    "false, before_ts=2026-01-01T00:00:00Z, 0, 0, 15",
    "true, type=a2a_receive&before_ts=2026-01-01T00:00:00Z, 6, 6, 15",
    "true, type=a2a_receive&include=peer_info, 6, 6, 9223372036854775807",
    "true, type=a2a_receive&include=peer_info&since_secs=1, 11, 11, 9223372036854775807",
    "true, type=a2a_receive&include=notify, 5, 6, 9223372036854775807",
    "true, type=a2a_receive&include=self, 5, 6, 9223372036854775807"
  })
  void followsTheParameters(
      boolean isOwn, String query, long after, long afterDelivered, long upTo) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    for (String parameter : query.split("&", -1)) {
      String[] nameAndValue = parameter.split("=", -1);
      if (nameAndValue.length == 2) {
        request.setParameter(nameAndValue[0], nameAndValue[1]);
      }
    }

    FeedQuery read = FeedQuery.read(request, isOwn).ofAgentThatPolls(true);
    assertThat(FeedPosition.of(read, marks(query.contains("since_id"))))
        .isEqualTo(new FeedPosition(20, 7, after, afterDelivered, upTo));
  }

  @ParameterizedTest
  @CsvSource({
    "20, 19, 9223372036854775807, false",
    "20, 20, 9223372036854775807, true",
    "20, 14, 15, false",
    "20, 15, 15, true",
    "20, 16, 15, true",
    "0, 0, 9223372036854775807, true"
  })
  void endsWithTheFeedOrTheTime(long lastSeq, long after, long upTo, boolean atEnd) {
    assertThat(new FeedPosition(0, 0, after, after, upTo).withLastSeq(lastSeq).isAtEnd())
        .isEqualTo(atEnd);
  }
}
