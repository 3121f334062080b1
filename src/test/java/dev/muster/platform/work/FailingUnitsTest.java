package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.OwnLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.UncategorizedSQLException;

/** A unit that fails each time waits longer and longer; the others go on. */
class FailingUnitsTest {

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());
  private final FailingUnits failing = new FailingUnits("test", metrics, now::get);
  private final List<Object> done = new ArrayList<>();

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private double counted() {
    return metrics.counter("muster.units.failed", "loop", "test").count();
  }

  private boolean runBad() {
    return failing.run("bad", () -> refuse("23514"));
  }

  private static void refuse(String sqlState) {
    throw new UncategorizedSQLException(
        "test", "UPDATE t", new SQLException("this row is refused", sqlState));
  }

  private void work(List<Integer> some) {
    if (some.contains(37) || some.contains(99)) {
      refuse("22021");
    }
    done.addAll(some);
  }

  @Test
  void waitTwiceAsLongAfterEachFailureUntilFiveMinutes() {
    for (int pause : List.of(5, 10, 20, 40, 80, 160, 300, 300, 300)) {
      assertThat(runBad()).isFalse();
      pass(Duration.ofSeconds(pause).minusNanos(1));
      assertThat(failing.isDelayed("bad")).as("before %d s", pause).isTrue();
      assertThat(failing.run("bad", () -> done.add("bad"))).isFalse();
      assertThat(failing.delayed(String.class)).containsExactly("bad");
      pass(Duration.ofNanos(1));
      assertThat(failing.isDelayed("bad")).as("after %d s", pause).isFalse();
    }
    assertThat(done).isEmpty();
    assertThat(counted()).isEqualTo(9);
  }

  @Test
  void beginAgainWithTheFirstPauseAfterASuccess() {
    runBad();
    pass(FailingUnits.FIRST_PAUSE);
    runBad();
    pass(FailingUnits.MAX_PAUSE);
    assertThat(failing.run("bad", () -> {})).isTrue();

    runBad();
    pass(FailingUnits.FIRST_PAUSE);

    assertThat(failing.isDelayed("bad")).isFalse();
  }

  @Test
  void areLoggedOnceWithTheirCauseAndWhenTheyWorkAgain() {
    List<String> lines =
        OwnLog.of(
            FailingUnits.class,
            () -> {
              for (int i = 0; i < 5; i++) {
                runBad();
                pass(FailingUnits.MAX_PAUSE);
              }
              failing.run("bad", () -> {});
              failing.run("bad", () -> {});
              failing.run("good", () -> {});
            });

    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst())
        .startsWith("WARN test: bad failed and is tried again")
        .endsWith("SQLException: this row is refused");
    assertThat(lines.getLast()).isEqualTo("INFO test: bad works again");
  }

  @Test
  void doNotFillTheLogWhenThereAreThousands() {
    List<String> lines =
        OwnLog.of(
            FailingUnits.class,
            () -> IntStream.range(0, 3_000).forEach(i -> failing.run(i, () -> refuse("23514"))));

    assertThat(lines).hasSize(50);
    assertThat(counted()).isEqualTo(3_000);
  }

  @Test
  void aloneFailInABatch() {
    List<Integer> units = IntStream.range(0, 100).boxed().toList();

    failing.runAll(units, unit -> unit, this::work);

    assertThat(done).hasSize(98).doesNotContain(37, 99).doesNotHaveDuplicates();
    assertThat(counted()).isEqualTo(2);
    assertThat(failing.delayed(Integer.class)).containsExactlyInAnyOrder(37, 99);

    done.clear();
    failing.runAll(units, unit -> unit, this::work);
    assertThat(done).as("while they wait").hasSize(98);
    assertThat(counted()).isEqualTo(2);
  }

  @Test
  void arePassedOverInALogAndNotDelayed() {
    failing.passAll(IntStream.range(0, 100).boxed().toList(), unit -> "event " + unit, this::work);

    assertThat(done).hasSize(98).isSorted();
    assertThat(failing.delayed(Object.class)).isEmpty();
    assertThat(counted()).isEqualTo(2);
  }

  /** A server that is down, a time-out, a deadlock. */
  @ParameterizedTest
  @ValueSource(strings = {"08006", "57014", "40P01", "53300", "XX000"})
  void areNotBlamedForAnOutage(String sqlState) {
    List<Integer> units = List.of(1, 2, 3, 4);
    List<String> lines =
        OwnLog.of(
            FailingUnits.class,
            () -> {
              assertThatThrownBy(() -> failing.run("good", () -> refuse(sqlState)));
              assertThatThrownBy(() -> failing.runAll(units, u -> u, some -> refuse(sqlState)));
              assertThatThrownBy(() -> failing.passAll(units, u -> u, some -> refuse(sqlState)));
              assertThatThrownBy(() ->
                  failing.run(
                      "good",
                      () -> {
                        throw ProblemException.unavailable("later");
                      }));
            });

    assertThat(lines).isEmpty();
    assertThat(counted()).isZero();
    assertThat(failing.delayed(Object.class)).isEmpty();
  }

  /** Too large for an index, raised by a function, a damaged row. */
  @ParameterizedTest
  @ValueSource(strings = {"21000", "22001", "23503", "42883", "54000", "P0001", "XX001"})
  void areBlamedForWhatTheDatabaseRefuses(String sqlState) {
    assertThat(failing.run("bad", () -> refuse(sqlState))).isFalse();
    assertThat(failing.isDelayed("bad")).isTrue();
  }
}
