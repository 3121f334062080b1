package dev.muster.runtime;

import dev.muster.platform.metrics.CachedScrape;
import dev.muster.runtime.StreamWriter.EventSubmission;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Counts the events that this replica stored and the runs without an end.
 *
 * <p>A scrape counts the runs in the database at most once per 5 s.
 */
@Component
class RuntimeMetrics {

  private static final Duration FRESH = Duration.ofSeconds(5);

  private final MeterRegistry metrics;
  private final Counter characters;

  RuntimeMetrics(MeterRegistry metrics, RunRepository runs) {
    this.metrics = metrics;
    this.characters =
        Counter.builder("muster.runtime.characters")
            .description("Characters of accepted runtime events")
            .register(metrics);
    CachedScrape<Double> running =
        new CachedScrape<>(FRESH, () -> (double) runs.running(), Double.NaN);
    Gauge.builder("muster.runtime.runs.active", running::get)
        .description("Runs without a reported end")
        .register(metrics);
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
}
