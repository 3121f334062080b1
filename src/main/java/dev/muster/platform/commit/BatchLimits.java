package dev.muster.platform.commit;

import java.util.function.ToLongFunction;

/**
 * How much goes into one batch: many values of a key or only one, and a total weight, say in bytes;
 * one value alone always fits.
 */
public record BatchLimits<T>(boolean manyOfAKey, ToLongFunction<T> weightOf, long mostWeight) {

  public BatchLimits {
    if (mostWeight < 1) {
      throw new IllegalArgumentException("mostWeight: " + mostWeight + " (expected: at least 1)");
    }
  }

  /** One value of a key, and no weights. */
  public static <T> BatchLimits<T> oneOfAKey() {
    return new BatchLimits<>(false, value -> 0, Long.MAX_VALUE);
  }

  /** As many values of a key as there is room for, in the order they were submitted in. */
  public static <T> BatchLimits<T> byWeight(ToLongFunction<T> weightOf, long mostWeight) {
    return new BatchLimits<>(true, weightOf, mostWeight);
  }
}
