package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Keeps the last complete event of a stream, however it is split (R7.9). */
class LastSseEventTest {

  private static Optional<String> last(String stream, int piece) {
    LastSseEvent tail = new LastSseEvent(_ -> true);
    byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i += piece) {
      tail.feed(Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece)));
    }
    return tail.last().map(data -> new String(data, StandardCharsets.UTF_8));
  }

  private static void assertLast(String stream, Optional<String> expected) {
    for (int piece = 1; piece <= 20; piece++) {
      assertThat(last(stream, piece)).as("pieces of %d", piece).isEqualTo(expected);
    }
  }

  @Test
  void readsAllFormsOfLines() {
    assertLast("data: a\n\n", Optional.of("a"));
    assertLast("data: a\r\rdata: b\r\r", Optional.of("b"));
    assertLast(": hi\r\nevent: x\r\nid: 1\r\ndata:é\r\n\r\n", Optional.of("é"));
    assertLast("data: two\ndata:  lines\n\n", Optional.of("two\n lines"));
    assertLast("data: two\r\ndata: lines\r\n\r\n", Optional.of("two\nlines"));
    assertLast("data\n\n", Optional.of(""));
    assertLast("data:\n\n", Optional.of(""));
  }

  @Test
  void returnsCompleteEventsWithDataOnly() {
    assertLast("data: a\n\ndata: b\n", Optional.of("a"));
    assertLast("data: a\n\n: keep-alive\n\nevent: end\n\n", Optional.of("a"));
    assertLast("database: a\n\ndat: b\n\n", Optional.empty());
    assertLast("", Optional.empty());
  }

  @Test
  void dropsTooLargeEvents() {
    LastSseEvent tail = new LastSseEvent(_ -> true);
    tail.feed("data: a\n\ndata: ".getBytes(StandardCharsets.UTF_8));
    tail.feed(new byte[1024 * 1024]);
    tail.feed("\n\n".getBytes(StandardCharsets.UTF_8));
    assertThat(tail.last()).isEmpty();
    tail.feed("data: b\n\n".getBytes(StandardCharsets.UTF_8));
    assertThat(tail.last())
        .hasValueSatisfying(data -> assertThat(data).isEqualTo(new byte[] {'b'}));
  }

  @Test
  void keepsAnEventOfAMebibyteAndNoLargerOne() {
    for (int size : new int[] {1024 * 1024 - 6, 1024 * 1024 - 5}) {
      LastSseEvent tail = new LastSseEvent(_ -> true);
      tail.feed(("data: " + "x".repeat(size) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      assertThat(tail.last().isPresent()).isEqualTo(size == 1024 * 1024 - 6);
    }
  }

  @Test
  void dropsAnEventWithoutMemoryForIt() {
    List<Long> asked = new ArrayList<>();
    LastSseEvent tail = new LastSseEvent(asked::add);
    tail.feed(event(64 * 1024 - 6));
    assertThat(asked).isEmpty();
    tail.feed(event(200 * 1024));
    assertThat(asked).containsExactly(4L * 64 * 1024, 4L * 128 * 1024);
    assertThat(tail.last()).hasValueSatisfying(data -> assertThat(data).hasSize(200 * 1024));

    LastSseEvent refused = new LastSseEvent(_ -> false);
    refused.feed(event(100));
    refused.feed(event(64 * 1024));
    assertThat(refused.last()).isEmpty();
    refused.feed(event(100));
    assertThat(refused.last()).hasValueSatisfying(data -> assertThat(data).hasSize(100));
  }

  private static byte[] event(int size) {
    return ("data: " + "x".repeat(size) + "\n\n").getBytes(StandardCharsets.UTF_8);
  }
}
