package dev.muster.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition. */
final class Waits {

  private static final Duration MAX_DURATION = Duration.ofMinutes(1);

  private Waits() {}

  static void until(String otherwise, BooleanSupplier condition) {
    long giveUpAt = System.nanoTime() + MAX_DURATION.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > giveUpAt) {
        throw new IllegalStateException(otherwise);
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }
}
