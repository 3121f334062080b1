package dev.muster.message.store;

import dev.muster.message.store.DeliveryOutcome.Completion;
import dev.muster.platform.log.CachedScrape;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.stereotype.Component;

/**
 * Counts the waiting messages and the ended ones of all targets. The waiting messages are only
 * queried on a scrape, at most once in 5 s.
 */
@Component
public class QueueMetrics {

  private static final Duration FRESH = Duration.ofSeconds(5);

  private final Map<QueueState, Counter> ends = new EnumMap<>(QueueState.class);
  private final Counter takenOver;

  QueueMetrics(WaitingTargets waiting, MeterRegistry registry) {
    CachedScrape<Double> depth =
        new CachedScrape<>(FRESH, () -> (double) waiting.count(), Double.NaN);
    Gauge.builder("muster.queue.depth", depth::get)
        .description("Messages that wait for push agents")
        .register(registry);
    for (QueueState state : QueueState.values()) {
      if (state.isEnd()) {
        ends.put(
            state,
            Counter.builder("muster.queue.messages.ended")
                .description("Queued messages that ended")
                .tag("state", state.wire())
                .register(registry));
      }
    }
    takenOver =
        Counter.builder("muster.deliveries.taken.over")
            .description("Deliveries of replicas whose leases had lapsed")
            .register(registry);
  }

  /** Counts a queued message that ended; called after the commit. */
  void count(Completion completion) {
    if (completion.queueState() != null) {
      Objects.requireNonNull(ends.get(completion.queueState())).increment();
    }
  }

  public void countTakenOver(int deliveries) {
    takenOver.increment(deliveries);
  }
}
