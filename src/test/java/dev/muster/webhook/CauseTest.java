package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which errors have one cause. */
class CauseTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "Control request timeout: initialize | control request timeout: initialize",
        "429 from upstream: quota of 1,500.25 | # from upstream: quota of #",
        "no session 6f0e2a52-8c1e-4b0c-9a44-000000000003 | no session #",
        "at 0x7fFE10 in commit 9a0b3c1d | at # in commit #",
        "file \"/tmp/a b\" and 'x' and “y” not found | file # and # and # not found",
        "took 12:04:59 or 3s | took # or #s",
        "two   words | two words",
        "deadbeef is no number | deadbeef is no number",
      })
  void leavesOutWhatDiffersFromAgentToAgent(String error, String pattern) {
    assertThat(Cause.pattern(error)).isEqualTo(pattern);
  }

  @Test
  void hasNoPatternWithoutAnError() {
    assertThat(Cause.pattern(null)).isEmpty();
  }

  @Test
  void boundsPatternsAndTheTimeTheyTake() {
    String hostile = "'a0".repeat(200_000);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();

    assertThat(Cause.pattern(hostile).length()).isLessThanOrEqualTo(160);
    assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - start))
        .isLessThan(Duration.ofSeconds(1));
  }
}
