package dev.muster.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Runs an action many times at the same moment. */
public final class Race {

  private static final int TIMEOUT_S = 120;

  private Race() {}

  /**
   * Starts all threads behind one latch and waits for them; results are in the order of the
   * runners.
   */
  public static <T> List<T> run(int runners, IntFunction<T> action) {
    CountDownLatch start = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < runners; i++) {
        int runner = i;
        running.add(
            threads.submit(() -> {
              start.await();
              return action.apply(runner);
            }));
      }
      start.countDown();
      List<T> results = new ArrayList<>();
      for (Future<T> one : running) {
        results.add(one.get(TIMEOUT_S, TimeUnit.SECONDS));
      }
      return results;
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
