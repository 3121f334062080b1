package dev.muster.platform.work;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.function.Supplier;

/** Counts the runs, the time, the changed rows and the errors of a sweep. */
public final class SweepMetrics {

  private final Counter runs;
  private final Timer time;
  private final Counter transitions;
  private final Counter errors;

  public SweepMetrics(MeterRegistry metrics, String sweep) {
    this.runs =
        Counter.builder("muster.sweep.runs")
            .description("Runs of a sweep")
            .tag("sweep", sweep)
            .register(metrics);
    this.time =
        Timer.builder("muster.sweep")
            .description("How long runs of a sweep took")
            .tag("sweep", sweep)
            .register(metrics);
    this.transitions =
        Counter.builder("muster.sweep.transitions")
            .description("Rows that a sweep changed")
            .tag("sweep", sweep)
            .register(metrics);
    this.errors =
        Counter.builder("muster.sweep.errors")
            .description("Errors and lost races of a sweep")
            .tag("sweep", sweep)
            .register(metrics);
  }

  public <R> R measure(Supplier<R> sweep) {
    runs.increment();
    return time.record(sweep);
  }

  public void countTransitions(int moved) {
    transitions.increment(moved);
  }

  public void countError() {
    errors.increment();
  }
}
