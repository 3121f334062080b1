package dev.muster.live;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** Counts open streams, and closed streams by reason (docs/api.md, section 11). */
@Component
class StreamMetrics {

  private final MeterRegistry registry;
  private final Map<StreamKind, AtomicInteger> open = new EnumMap<>(StreamKind.class);

  StreamMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (StreamKind kind : StreamKind.values()) {
      AtomicInteger count = new AtomicInteger();
      open.put(kind, count);
      Gauge.builder("muster.streams", count, AtomicInteger::get)
          .description("Open live streams")
          .tag("kind", kind.word())
          .register(registry);
      for (StreamEnd reason : StreamEnd.values()) {
        ended(kind, reason);
      }
    }
  }

  void opened(StreamKind kind) {
    Objects.requireNonNull(open.get(kind)).incrementAndGet();
  }

  void closed(StreamKind kind, StreamEnd reason) {
    Objects.requireNonNull(open.get(kind)).decrementAndGet();
    ended(kind, reason).increment();
  }

  private Counter ended(StreamKind kind, StreamEnd reason) {
    return Counter.builder("muster.streams.closed")
        .description("Live streams that were closed")
        .tags("kind", kind.word(), "reason", reason.word())
        .register(registry);
  }
}
