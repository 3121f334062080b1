package dev.muster.platform.postgres;

import java.util.function.ToLongFunction;

/**
 * Limits one batch: one or many values per key, and a total weight.
 *
 * <p>The weight has the unit of {@code weightOf}, such as bytes. A single value always fits,
 * whatever its weight.
 */
public record BatchLimits<T>(boolean manyOfAKey, ToLongFunction<T> weightOf, long mostWeight) {

  public BatchLimits {
    if (mostWeight < 1) {
      throw new IllegalArgumentException("mostWeight: " + mostWeight + " (expected: at least 1)");
    }
  }

  /** Allows one value per key and ignores weights. */
  public static <T> BatchLimits<T> oneOfAKey() {
    return new BatchLimits<>(false, value -> 0, Long.MAX_VALUE);
  }

  /** Allows many values per key and ignores weights. */
  public static <T> BatchLimits<T> anyOfAKey() {
    return byWeight(value -> 0, Long.MAX_VALUE);
  }

  /** Allows many values per key up to {@code mostWeight}, in the order of their submission. */
  public static <T> BatchLimits<T> byWeight(ToLongFunction<T> weightOf, long mostWeight) {
    return new BatchLimits<>(true, weightOf, mostWeight);
  }
}
