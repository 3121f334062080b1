package dev.muster.delivery;

import java.time.Duration;
import java.util.Comparator;
import java.util.function.BinaryOperator;

/** How long to wait after failures in a row: twice as long each time, up to a limit. */
public record BackOff(Duration first, Duration longest) {

  /** The pauses of whatever is delivered durably (R7.7): 5 s × 2ⁿ, at most 300 s. */
  public static final BackOff OF_DELIVERIES =
      new BackOff(Duration.ofSeconds(5), Duration.ofMinutes(5));

  private static final BinaryOperator<Duration> SHORTER =
      BinaryOperator.minBy(Comparator.naturalOrder());

  public BackOff {
    if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "first: " + first + ", longest: " + longest + " (expected: more than zero, in order)");
    }
  }

  /** The pause after a failure that {@code failuresBefore} others came right before. */
  public Duration delay(int failuresBefore) {
    Duration delay = first;
    for (int n = 0; n < failuresBefore && !delay.equals(longest); n++) {
      delay = SHORTER.apply(delay.multipliedBy(2), longest);
    }
    return delay;
  }
}
