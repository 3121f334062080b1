package dev.muster.a2a.queue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** How many messages wait, of all targets: one count for a scrape, none while nobody scrapes. */
@Component
class QueueMetrics implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(QueueMetrics.class);
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final LineRepository lines;
  private double depth = Double.NaN;
  private long countedAt = System.nanoTime() - FRESH.toNanos();

  QueueMetrics(LineRepository lines) {
    this.lines = lines;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.queue.depth", this::depth).register(registry);
  }

  private synchronized double depth() {
    if (System.nanoTime() - countedAt >= FRESH.toNanos()) {
      depth = count();
      countedAt = System.nanoTime();
    }
    return depth;
  }

  /** NaN when the database cannot tell: a gap in the graph, not an empty queue. */
  private double count() {
    try {
      return lines.waiting();
    } catch (RuntimeException e) {
      log.debug("waiting messages could not be counted", e);
      return Double.NaN;
    }
  }
}
