package dev.muster.a2a.queue;

import dev.muster.platform.metrics.ScrapedValue;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** How many messages wait, of all targets: one count for a scrape, none while nobody scrapes. */
@Component
class QueueMetrics implements MeterBinder {

  private static final Duration FRESH = Duration.ofSeconds(5);

  private final ScrapedValue<Double> depth;

  QueueMetrics(LineRepository lines) {
    this.depth = new ScrapedValue<>(FRESH, () -> (double) lines.waiting(), Double.NaN);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.queue.depth", depth::get)
        .description("Messages that wait for push agents")
        .register(registry);
  }
}
