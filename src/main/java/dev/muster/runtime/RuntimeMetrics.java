package dev.muster.runtime;

import dev.muster.runtime.StreamWriter.EventSubmission;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Counts the events that this replica stored and the runs without an end.
 *
 * <p>A scrape counts the runs in the database at most once per 5 s.
 */
@Component
class RuntimeMetrics implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(RuntimeMetrics.class);
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final MeterRegistry metrics;
  private final Counter characters;
  private final RunRepository runs;
  private double running = Double.NaN;
  private long countedAt = System.nanoTime() - FRESH.toNanos();

  RuntimeMetrics(MeterRegistry metrics, RunRepository runs) {
    this.metrics = metrics;
    this.characters =
        Counter.builder("muster.runtime.characters")
            .description("Characters of accepted runtime events")
            .register(metrics);
    this.runs = runs;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.runtime.runs.active", this::running)
        .description("Runs without a reported end")
        .register(registry);
  }

  void count(EventSubmission submission) {
    characters.increment((double) submission.size());
    for (RuntimeEnvelope envelope : submission.envelopes()) {
      Counter.builder("muster.runtime.events")
          .description("Runtime events accepted")
          .tag("type", envelope.event().type())
          .register(metrics)
          .increment();
    }
  }

  private synchronized double running() {
    if (System.nanoTime() - countedAt >= FRESH.toNanos()) {
      running = counted();
      countedAt = System.nanoTime();
    }
    return running;
  }

  /** Returns NaN on a database failure, so that a graph shows a gap instead of zero runs. */
  private double counted() {
    try {
      return runs.running();
    } catch (RuntimeException e) {
      log.debug("running runs could not be counted", e);
      return Double.NaN;
    }
  }
}
