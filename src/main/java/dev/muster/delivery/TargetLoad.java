package dev.muster.delivery;

import java.util.Arrays;

/** Sends and retries to one target, counted by seconds; times are of a monotonic clock, in ns. */
final class TargetLoad {

  private static final long SECOND = 1_000_000_000L;
  private static final int WINDOW_S = 10;
  private static final int SENDS_PER_RETRY = 5;
  private static final int FLOOR_PER_SECOND = 10;

  private final long[] sends = new long[WINDOW_S];
  private final long[] retries = new long[WINDOW_S];

  /** When the last retries were, the oldest at {@link #oldest}. */
  private final long[] latest = new long[FLOOR_PER_SECOND];

  private final long start;
  private long second;
  private int oldest;

  TargetLoad(long now) {
    start = now;
    Arrays.fill(latest, now - SECOND);
  }

  synchronized void sent(long now) {
    sends[slot(now)]++;
  }

  /** Counts the retry if there may be one. */
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

  /** That of the current second; those that the clock has passed since are emptied. */
  private int slot(long now) {
    long current = Math.max(second, (now - start) / SECOND);
    for (long passed = Math.max(second + 1, current - WINDOW_S + 1); passed <= current; passed++) {
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
