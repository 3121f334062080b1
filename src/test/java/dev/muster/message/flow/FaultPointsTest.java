package dev.muster.message.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.FaultPoint.Step;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.StatementRelay.Side;
import dev.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The short form of the proof that no message is lost or completed twice when a replica dies after
 * a statement whose result it never read. The full form is {@code FaultPointsBench}.
 */
@Slow
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class FaultPointsTest {

  /**
   * After the statements that store, complete and claim a message, and store and end a delegation.
   */
  private record Hot(Step step, String beginning, boolean isStop) {

    static Stream<Hot> both(Step step, String beginning) {
      return Stream.of(new Hot(step, beginning, false), new Hot(step, beginning, true));
    }

    boolean is(FaultPoint point) {
      return point.side() == Side.BEFORE_ANSWER
          && point.step() == step
          && point.isStop() == isStop
          && point.statement().strip().startsWith(beginning);
    }
  }

  private static final List<Hot> ALL =
      Stream.of(
              Hot.both(Step.DIRECT_MESSAGE, "WITH wanted AS"),
              Hot.both(Step.DIRECT_MESSAGE, "WITH ended AS"),
              Hot.both(Step.QUEUED_MESSAGE, "COMMIT after WITH target AS"),
              Hot.both(Step.DELEGATION, "INSERT INTO delegations"),
              Hot.both(Step.RESULT_OF_DELEGATION, "UPDATE delegations"),
              Hot.both(Step.RESULT_OF_DELEGATION, "COMMIT after WITH ended AS"))
          .flatMap(hot -> hot)
          .toList();

  /** Two processes do, since each goes on after its stop. */
  private static final List<Hot> ONE_OF_EACH_STEP =
      List.of(
          new Hot(Step.DIRECT_MESSAGE, "WITH ended AS", false),
          new Hot(Step.QUEUED_MESSAGE, "COMMIT after WITH target AS", true),
          new Hot(Step.DELEGATION, "INSERT INTO delegations", false),
          new Hot(Step.RESULT_OF_DELEGATION, "UPDATE delegations", true));

  private static final List<Hot> HOT = Rounds.areFull() ? ALL : ONE_OF_EACH_STEP;
  private static final int AT_ONCE = Rounds.of(2, 4);
  private static final int OBSERVATIONS = 4;

  private static List<FaultPoint> hot(List<FaultPoint> all) {
    return all.stream().filter(point -> HOT.stream().anyMatch(hot -> hot.is(point))).toList();
  }

  @Test
  void nothingIsLostAndNothingEndsTwice(@TempDir Path folder) throws Exception {
    try (FaultPoints faults = new FaultPoints(TestDatabases.create(), folder)) {
      List<FaultPoint> points = hot(faults.all());
      for (int i = 0; i < OBSERVATIONS && points.size() < HOT.size(); i++) {
        points = hot(faults.all());
      }
      assertThat(points).hasSize(HOT.size());

      assertThat(faults.inject(points, AT_ONCE)).as("points that were never reached").isEmpty();
    }
  }
}
