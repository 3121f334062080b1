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
    CountAtBucket[] buckets = now.histogramCounts();
    int end = buckets.length - 1;
    double commits =
        end >= 0 && now.max() <= buckets[end].bucket()
            ? within(end, now, last) // a commit is counted before it is in a bucket
            : now.count() - (last == null ? 0 : last.count());
    if (commits == 0) {
      return null;
    }
    for (int i = 0; i <= end; i++) {
      if (within(i, now, last) >= SHARE * commits) {
        return buckets[i].bucket(TimeUnit.MILLISECONDS);
      }
    }
    return now.max(TimeUnit.MILLISECONDS);
  }

  /** Returns the number of commits since the last call that are in a bucket or in one before. */
  private static double within(
      int bucket, HistogramSnapshot now, @Nullable HistogramSnapshot last) {
    return now.histogramCounts()[bucket].count()
        - (last == null ? 0 : last.histogramCounts()[bucket].count());
  }
}
