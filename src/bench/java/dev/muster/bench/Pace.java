package dev.muster.bench;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/** Starts actions at a fixed rate, each when it is due, whether or not the last one ended. */
final class Pace {

  /** When an action was due, by {@link System#nanoTime}, and how long it took from then. */
  record Timed(long due, double ms) {}

  private Pace() {}

  /**
   * Runs {@code action} for 0, 1, 2 and so on, each on a new virtual thread; returns the
   * milliseconds of each from when it was due, sorted. An action that throws is not counted.
   */
  static List<Double> run(int perSecond, int seconds, IntConsumer action) {
    return timed(perSecond, seconds, action).stream().map(Timed::ms).toList();
  }

  /** As {@link #run}, with the due time of each. */
  static List<Timed> timed(int perSecond, int seconds, IntConsumer action) {
    return timed(perSecond, number -> number < perSecond * seconds, action);
  }

  /** As {@link #run}, with the due time of each, as long as {@code goesOn} is true of the next. */
  static List<Timed> timed(int perSecond, IntPredicate goesOn, IntConsumer action) {
    ConcurrentLinkedQueue<Timed> done = new ConcurrentLinkedQueue<>();
    AtomicBoolean hasFailed = new AtomicBoolean();
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; goesOn.test(i); i++) {
        int number = i;
        long due = start + i * (Duration.ofSeconds(1).toNanos() / perSecond);
        while (System.nanoTime() < due) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        threads.execute(() -> {
          try {
            action.accept(number);
            done.add(new Timed(due, (System.nanoTime() - due) / 1e6));
          } catch (RuntimeException e) {
            if (!hasFailed.getAndSet(true)) {
              System.out.println("the first that failed: " + e);
            }
          }
        });
      }
    }
    return done.stream().sorted(Comparator.comparingDouble(Timed::ms)).toList();
  }
}
