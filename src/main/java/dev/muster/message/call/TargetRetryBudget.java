package dev.muster.message.call;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.muster.protocol.client.A2aClient.RetryBudget;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Limits the retries to each target (R7.10). Within the last 10 s, retries may reach a fifth of the
 * sends; 10 retries per second are always allowed. A target without sends and retries for 1 minute
 * is forgotten.
 *
 * <p>Token buckets cannot replace the counts: a token that a send earns would not expire after 10
 * s, and a floor that refills evenly grants its first retry again after 0.1 s.
 */
class TargetRetryBudget implements RetryBudget {

  private static final long SECOND = 1_000_000_000L;
  private static final int WINDOW_S = 10;
  private static final int SENDS_PER_RETRY = 5;
  private static final int FLOOR_PER_SECOND = 10;
  private static final int MAX_TARGETS = 100_000;
  private static final Duration CACHE_TTL = Duration.ofMinutes(1);

  private final LongSupplier nanos;
  private final LoadingCache<String, RetryWindow> loads;

  /** {@code nanos} is a monotonic clock in ns, as {@link System#nanoTime}. */
  TargetRetryBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.loads =
        Caffeine.newBuilder()
            .maximumSize(MAX_TARGETS)
            .expireAfterAccess(CACHE_TTL)
            .ticker(nanos::getAsLong)
            .build(_ -> new RetryWindow(nanos.getAsLong()));
  }

  @Override
  public void sent(String target) {
    loads.get(target).sent(nanos.getAsLong());
  }

  @Override
  public boolean mayRetry(String target) {
    return loads.get(target).takeRetry(nanos.getAsLong());
  }

  /** Counts sends and retries to one target per second. Times are of a monotonic clock, in ns. */
  private static final class RetryWindow {

    private final long[] sends = new long[WINDOW_S];
    private final long[] retries = new long[WINDOW_S];

    /** The times of the last 10 retries; the earliest is at {@link #oldest}. */
    private final long[] latest = new long[FLOOR_PER_SECOND];

    private final long start;
    private long second;
    private int oldest;

    RetryWindow(long now) {
      start = now;
      Arrays.fill(latest, now - SECOND);
    }

    synchronized void sent(long now) {
      sends[slot(now)]++;
    }

    /** Counts the retry and returns true if the budget allows it. */
    synchronized boolean takeRetry(long now) {
      int slot = slot(now);
      boolean underFloor = now - latest[oldest] >= SECOND;
      if (!underFloor && sum(retries) >= sum(sends) / SENDS_PER_RETRY) {
        return false;
      }
      retries[slot]++;
      latest[oldest] = now;
      oldest = (oldest + 1) % FLOOR_PER_SECOND;
      return true;
    }

    /**
     * Returns the slot of the current second. Clears the slots of the seconds passed since the last
     * call.
     */
    private int slot(long now) {
      long current = Math.max(second, (now - start) / SECOND);
      for (long passed = Math.max(second + 1, current - WINDOW_S + 1);
          passed <= current;
          passed++) {
        sends[(int) (passed % WINDOW_S)] = 0;
        retries[(int) (passed % WINDOW_S)] = 0;
      }
      second = current;
      return (int) (current % WINDOW_S);
    }

    private static long sum(long[] counts) {
      return Arrays.stream(counts).sum();
    }
  }
}
