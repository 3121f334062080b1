package dev.muster.platform.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.OwnLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A deletion by age, as its nightly job runs it. */
class DailyDeletionTest {

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Deque<Integer> batches = new ArrayDeque<>();
  private final RecurringJob job = new DailyDeletion("old", batches::pop, metrics).job();

  @Test
  void runsBatchesUntilOneIsEmptyAndCountsAll() {
    batches.addAll(List.of(3, 2, 0, 7));

    job.body().run();

    assertThat(batches).containsExactly(7);
    assertThat(metrics.counter("muster.sweep.transitions", "sweep", "old").count()).isEqualTo(5);
    assertThat(metrics.counter("muster.sweep.runs", "sweep", "old").count()).isEqualTo(1);
  }

  @Test
  void logsOneLineWhenItDeletedRows() {
    List<String> ofSome =
        OwnLog.of(
            DailyDeletion.class,
            () -> {
              batches.addAll(List.of(3, 2, 0));
              job.body().run();
            });
    assertThat(ofSome).containsExactly("INFO old deleted 5 rows past their retention");

    List<String> ofNone =
        OwnLog.of(
            DailyDeletion.class,
            () -> {
              batches.add(0);
              job.body().run();
            });
    assertThat(ofNone).isEmpty();
  }
}
