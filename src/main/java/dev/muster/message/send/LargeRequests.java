package dev.muster.message.send;

import dev.muster.platform.http.Owner;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Runs large requests on platform threads, a few at a time. One sender may use at most half of the
 * slots. Each request takes about a second to parse, hash and write, and the operating system
 * preempts platform threads. On virtual threads, two of them would occupy both carriers of a small
 * machine and delay all heartbeats.
 */
@Component
final class LargeRequests {

  /** A smaller request takes only a few milliseconds on any thread. */
  static final int LARGE_BYTES = 256 * 1024;

  static final int AT_ONCE = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 4);

  /** Together with the work, less than the 5 s of R0.6. */
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final Quota slots = new Quota(AT_ONCE);

  /**
   * Runs {@code work} and rethrows its exception. Refuses with {@code UNAVAILABLE} when no slot is
   * free in time.
   *
   * @param bodyBytes the size of the body in bytes
   * @param owner the owner whose share of the slots it uses
   */
  <T> T run(int bodyBytes, Owner owner, Supplier<T> work) {
    if (bodyBytes <= LARGE_BYTES) {
      return work.get();
    }
    take(owner);
    FutureTask<T> task = new FutureTask<>(work::get);
    @Nullable Map<String, String> logFields = MDC.getCopyOfContextMap();
    @Nullable RequestAttributes request = RequestContextHolder.getRequestAttributes();
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
              RequestContextHolder.setRequestAttributes(request); // so it is the owner's
              inTime.run();
            } finally {
              slots.release(owner, 1);
            }
          });
      started = true;
    } finally {
      if (!started) {
        slots.release(owner, 1);
      }
    }
    return resultOf(task);
  }

  private void take(Owner owner) {
    try {
      if (slots.await(owner, RequestDeadline.capping(TIMEOUT)) != Quota.Grant.GRANTED) {
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
