package dev.muster.platform.metrics;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value that is read from the database with a scrape: once for all gauges that show a part of it,
 * and not at all while nobody scrapes.
 */
public final class CachedScrape<T> {

  private static final Logger log = LoggerFactory.getLogger(CachedScrape.class);

  private final Duration fresh;
  private final Supplier<T> read;
  private final T unknown;
  private T value;
  private long readAt;

  /**
   * {@code unknown} is shown when the database cannot tell: a gap in the graph, not an empty fleet.
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
