package dev.muster.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * No row is ever skipped (R6.4), and what it takes. The short form; the full one is {@code
 * dev.muster.bench.FeedOrderBench}.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class FeedOrderTest {

  @Test
  void losesRepeatsAndMisordersNoRowUnderSixteenWritersOnTwoServers() throws Exception {
    try (var program =
        new FeedOrder(
            new FeedOrder.Size(30_000, Duration.ofSeconds(7), 30), TestDatabases.create())) {
      System.out.println(program.run());
    }
  }

  /** Whoever thinks that the lock on the head could go: this is what would be lost. */
  @Test
  void wouldLoseRowsWithoutTheLock() throws Exception {
    NaiveFeed.Lost lost = new NaiveFeed(TestDatabases.create()).run(16, 200);
    System.out.println(lost);
    assertThat(lost.byTime()).isPositive();
    assertThat(lost.bySequence()).isPositive();
  }
}
