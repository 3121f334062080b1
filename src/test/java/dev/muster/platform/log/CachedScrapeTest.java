package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CachedScrapeTest {

  private final AtomicInteger reads = new AtomicInteger();

  @Test
  void readsOnceWhileItIsFresh() {
    CachedScrape<Integer> scrape =
        new CachedScrape<>(Duration.ofDays(1), reads::incrementAndGet, -1);
    assertThat(reads).hasValue(0);

    assertThat(scrape.get()).isEqualTo(1);
    assertThat(scrape.get()).isEqualTo(1);
  }

  @Test
  void readsAgainAfterwards() {
    CachedScrape<Integer> scrape =
        new CachedScrape<>(Duration.ofNanos(1), reads::incrementAndGet, -1);

    await().until(() -> scrape.get() > 1);
  }

  /** Many gauges share the value, and each failing read of a database that is away takes long. */
  @Test
  void isUnknownAsLongWhenTheReadFails() {
    CachedScrape<Integer> scrape =
        new CachedScrape<>(
            Duration.ofDays(1),
            () -> {
              throw new IllegalStateException("read " + reads.incrementAndGet());
            },
            -1);

    assertThat(scrape.get()).isEqualTo(-1);
    assertThat(scrape.get()).isEqualTo(-1);
    assertThat(reads).hasValue(1);
  }
}
