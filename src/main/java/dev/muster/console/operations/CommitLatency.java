package dev.muster.console.operations;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads from {@code muster_commit_batch_seconds} how long commits took lately. */
final class CommitLatency {

  private static final double SHARE = 0.99;

  private final MeterRegistry metrics;
  private final Map<Meter.Id, HistogramSnapshot> before = new HashMap<>();

  CommitLatency(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  /**
   * Returns the p99 of the slowest kind of commit since the last call, in ms; null when there was
   * no commit. Like the alert, it does not mix kinds: many fast ones would hide a slow one.
   */
  @Nullable Double p99Ms() {
    Collection<Timer> kinds = metrics.find("muster.commit.batch").timers();
    return kinds.stream()
        .map(this::p99Ms)
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  /** Returns the upper bound of the bucket that contains the p99. */
  private @Nullable Double p99Ms(Timer kind) {
    HistogramSnapshot now = kind.takeSnapshot();
    @Nullable HistogramSnapshot last = before.put(kind.getId(), now);
    long commits = now.count() - (last == null ? 0 : last.count());
    if (commits == 0) {
      return null;
    }
    CountAtBucket[] buckets = now.histogramCounts();
    for (int i = 0; i < buckets.length; i++) {
      double within = buckets[i].count() - (last == null ? 0 : last.histogramCounts()[i].count());
      if (within >= SHARE * commits) {
        return buckets[i].bucket(TimeUnit.MILLISECONDS);
      }
    }
    return now.max(TimeUnit.MILLISECONDS);
  }
}
