package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * No reader ever skips a row (R6.4), and the lock that this needs. The short form; the full one is
 * {@code dev.muster.bench.FeedOrderBench}.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class FeedOrderTest {

  private static final FeedOrder.Size SIZE =
      new FeedOrder.Size(Rounds.of(12_000, 30_000), Duration.ofSeconds(Rounds.of(4, 7)), 30);

  @Test
  void losesRepeatsAndMisordersNoRowUnderSixteenWritersOnTwoServers() throws Exception {
    try (var program = new FeedOrder(SIZE, TestDatabases.create())) {
      System.out.println(program.run());
    }
  }

  /** Shows the rows that would be lost without the lock on the feed head. */
  @Test
  void wouldLoseRowsWithoutTheLock() throws Exception {
    NaiveFeed.Lost lost = new NaiveFeed(TestDatabases.create()).run(16, 200);
    System.out.println(lost);
    assertThat(lost.byTime()).isPositive();
    assertThat(lost.bySequence()).isPositive();
  }
}
