package dev.muster.console.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class BinaryAnswerTest {

  private static final int HEAD = 300;
  private static final int RANDOM = 1_000_000;
  private static final int REST = 3_000_000;

  /** A change of the level that came too late would store the rest as it is. */
  @Test
  void compressesAllButTheRandomBytes() throws IOException {
    byte[] bytes = new byte[HEAD + RANDOM + REST];
    new Random(1).nextBytes(bytes);
    for (int i = HEAD + RANDOM; i < bytes.length; i++) {
      bytes[i] = (byte) (i % 7);
    }

    BinaryAnswer answer = BinaryAnswer.of(bytes, HEAD, HEAD + RANDOM);

    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(answer.gzip()))) {
      assertThat(gzip.readAllBytes()).isEqualTo(bytes);
    }
    assertThat(answer.gzip().length).isBetween(HEAD + RANDOM, RANDOM + REST / 20);
  }

  @Test
  void takesAnswersWithoutIds() throws IOException {
    BinaryAnswer answer = BinaryAnswer.of(new byte[HEAD], HEAD, HEAD);
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(answer.gzip()))) {
      assertThat(gzip.readAllBytes()).hasSize(HEAD);
    }
  }
}
