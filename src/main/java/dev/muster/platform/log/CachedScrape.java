package dev.muster.platform.log;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a value from the database when metrics are scraped, and caches it.
 *
 * <p>All gauges that show a part of the value share one read, also one that fails. Without scrapes
 * there are no reads.
 */
public final class CachedScrape<T> {

  private static final Logger log = LoggerFactory.getLogger(CachedScrape.class);

  private final LoadingCache<Boolean, T> only;

  /**
   * Creates the cache.
   *
   * @param fresh how long a read value is used
   * @param unknown the value while the database read fails; it should make a gap in the graph, not
   *     a zero
   */
  public CachedScrape(Duration fresh, Supplier<T> read, T unknown) {
    this.only = Caffeine.newBuilder().expireAfterWrite(fresh).build(_ -> read(read, unknown));
  }

  public T get() {
    return only.get(true);
  }

  private static <T> T read(Supplier<T> read, T unknown) {
    try {
      return read.get();
    } catch (RuntimeException e) {
      log.debug("a value for the metrics could not be read", e);
      return unknown;
    }
  }
}
