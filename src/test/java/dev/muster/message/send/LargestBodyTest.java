package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.TestClient.Answer;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The largest body that is accepted (R0.7). Its message takes a second of processor time and must
 * be stored within the 5 s of a request, so this test does not run beside others.
 */
@Tag("latency")
class LargestBodyTest {

  @Test
  void acceptsSixteenMebibytesAndRefusesOneByteMore() {
    byte[] largest = A2aBodiesTest.filled(A2aBodiesTest.LIMIT);
    byte[] tooLarge = A2aBodiesTest.filled(A2aBodiesTest.LIMIT + 1);

    Answer taken = whenItsTimeSuffices(() -> A2aBodiesTest.send(largest));
    assertThat(taken.status()).as(taken.text()).isEqualTo(200);
    assertThat(
            A2aBodiesTest.PROXY.row(
                taken.field("activity_id"), "octet_length(message_text) > 16776000"))
        .isEqualTo("t");
    assertThat(whenItsTimeSuffices(() -> A2aBodiesTest.sendChunked(largest)).status())
        .isEqualTo(200);
    for (Answer refused :
        List.of(A2aBodiesTest.send(tooLarge), A2aBodiesTest.sendChunked(tooLarge))) {
      assertRefused(refused, 413, "BODY_TOO_LARGE");
      assertThat(refused.json().path("max_bytes").asInt()).isEqualTo(A2aBodiesTest.LIMIT);
    }
  }

  /**
   * Sends again, as a caller would, when a busy machine needs more than the 5 s of a request for so
   * large a message.
   */
  private static Answer whenItsTimeSuffices(Callable<Answer> call) {
    return await().until(call, answer -> answer.status() != 503);
  }
}
