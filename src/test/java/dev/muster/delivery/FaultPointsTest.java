package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.StatementRelay.Side;
import dev.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The short form of the proof that nothing is lost or ends twice wherever a replica is struck: what
 * it did last is done, and it does not know. The full form is {@code FaultPointsBench}.
 */
@Slow
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class FaultPointsTest {

  /** How the statements begin that append, complete, claim, delegate and end a delegation. */
  private static final List<String> HOT =
      List.of(
          "WITH wanted AS",
          "WITH ended AS",
          "COMMIT after WITH target AS",
          "INSERT INTO delegations",
          "UPDATE delegations",
          "COMMIT after INSERT INTO events");

  private static final int AT_ONCE = 4;

  @Test
  void nothingIsLostAndNothingEndsTwice(@TempDir Path folder) throws Exception {
    try (FaultPoints faults = new FaultPoints(TestDatabases.create(), folder)) {
      List<FaultPoint> points =
          faults.all().stream()
              .filter(point -> point.side() == Side.BEFORE_ANSWER)
              .filter(point -> HOT.stream().anyMatch(point.statement().strip()::startsWith))
              .toList();
      assertThat(points).hasSize(2 * HOT.size());

      assertThat(faults.strike(points, AT_ONCE)).as("points that were never reached").isEmpty();
    }
  }
}
