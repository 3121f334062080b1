package dev.muster.platform.metrics;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a value from the database when metrics are scraped, and caches it.
 *
 * <p>All gauges that show a part of the value share one read. Without scrapes there are no reads.
 */
public final class CachedScrape<T> {

  private static final Logger log = LoggerFactory.getLogger(CachedScrape.class);

  private final Duration fresh;
  private final Supplier<T> read;
  private final T unknown;
  private T value;
  private long readAt;

  /**
   * Creates the cache.
   *
   * @param fresh how long a read value is used
   * @param unknown the value while the database read fails; it should make a gap in the graph, not
   *     a zero
   */
  public CachedScrape(Duration fresh, Supplier<T> read, T unknown) {
    this.fresh = fresh;
    this.read = read;
    this.unknown = unknown;
    this.value = unknown;
    this.readAt = System.nanoTime() - fresh.toNanos();
  }

  public synchronized T get() {
    if (System.nanoTime() - readAt >= fresh.toNanos()) {
      value = readOrUnknown();
      readAt = System.nanoTime();
    }
    return value;
  }

  private T readOrUnknown() {
    try {
      return read.get();
    } catch (RuntimeException e) {
      log.debug("a value for the metrics could not be read", e);
      return unknown;
    }
  }
}
