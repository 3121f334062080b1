package dev.muster.a2a;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Quota;
import dev.muster.platform.quota.Slots;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;

/**
 * Works on large requests, each of which is a second of parsing, hashing and writing, a few at a
 * time and half of them for one sender: on platform threads, which the operating system slices. On
 * virtual threads two of them would hold both carriers of a small machine, and everybody's beats.
 */
@Component
final class LargeRequests {

  /** A smaller request is over in a few milliseconds, wherever it runs. */
  static final int LARGE_BYTES = 256 * 1024;

  private static final int AT_ONCE = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 4);

  /** With the work itself, below the 5 s of R0.6. */
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final Slots slots = new Slots(new Quota(AT_ONCE, AT_ONCE / 2));

  /**
   * Does the work of a request with a body of so many bytes, and throws what that throws; refuses
   * with {@code UNAVAILABLE} when too many large ones wait.
   *
   * @param owner whose share it takes
   */
  <T> T run(int bodyBytes, Object owner, Supplier<T> work) {
    if (bodyBytes <= LARGE_BYTES) {
      return work.get();
    }
    take(owner);
    FutureTask<T> task = new FutureTask<>(work::get);
    @Nullable Map<String, String> logFields = MDC.getCopyOfContextMap();
    Runnable inTime = RequestDeadline.carry(task);
    boolean started = false;
    try {
      Thread.ofPlatform()
          .daemon()
          .name("large-request")
          .start(() -> {
            try {
              if (logFields != null) {
                MDC.setContextMap(logFields);
              }
              inTime.run();
            } finally {
              slots.release(owner);
            }
          });
      started = true;
    } finally {
      if (!started) {
        slots.release(owner);
      }
    }
    return resultOf(task);
  }

  private void take(Object owner) {
    try {
      if (!slots.tryTake(owner, RequestDeadline.capping(TIMEOUT))) {
        throw refused();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused();
    }
  }

  private static <T> T resultOf(FutureTask<T> task) {
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused();
    } catch (ExecutionException e) {
      throw unchecked(e.getCause());
    }
  }

  private static RuntimeException unchecked(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  private static ProblemException refused() {
    return ProblemException.unavailable(
        "too many large messages are being stored (expected: at most "
            + AT_ONCE / 2
            + " of a sender and "
            + AT_ONCE
            + " of all at once); try again in a few seconds");
  }
}
