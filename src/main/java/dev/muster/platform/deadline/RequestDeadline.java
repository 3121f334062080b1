package dev.muster.platform.deadline;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When the request that this thread works on must have its answer, whatever it waits for: token
 * look-up, commit and connection share one time (R1.8).
 *
 * <p>It belongs to the thread that it was set on. Threads that are started for a request have none,
 * unless {@link #carry} hands it on; where there is none, every wait has its own bound alone.
 */
public final class RequestDeadline {

  /** Below the 5 s of R0.6, with room for the answer's way back. */
  public static final Duration LIMIT = Duration.ofMillis(4500);

  private static final ScopedValue<RequestDeadline> CURRENT = ScopedValue.newInstance();

  private final AtomicLong atNanos;

  private RequestDeadline(long atNanos) {
    this.atNanos = new AtomicLong(atNanos);
  }

  /** Runs the work of a request, or of a part of it that has a time of its own. */
  public static <R extends @Nullable Object, X extends Throwable> R within(
      Duration limit, ScopedValue.CallableOp<R, X> work) throws X {
    return ScopedValue.where(CURRENT, new RequestDeadline(System.nanoTime() + limit.toNanos()))
        .call(work);
  }

  /** Runs work that has other bounds than the request it belongs to. */
  public static <R extends @Nullable Object, X extends Throwable> R without(
      ScopedValue.CallableOp<R, X> work) throws X {
    return within(Duration.ofDays(1), work);
  }

  /** The same work, to be run by another thread under this thread's deadline. */
  public static Runnable carry(Runnable work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    RequestDeadline current = CURRENT.get();
    return () -> ScopedValue.where(CURRENT, current).run(work);
  }

  /**
   * Runs what is not to count against the deadline, since it has a bound of its own and is not the
   * database's fault: it moves on by the time that this takes.
   */
  public static <R extends @Nullable Object, X extends Throwable> R notCounting(
      ScopedValue.CallableOp<R, X> work) throws X {
    if (!CURRENT.isBound()) {
      return work.call();
    }
    RequestDeadline current = CURRENT.get();
    long start = System.nanoTime();
    try {
      return work.call();
    } finally {
      current.atNanos.addAndGet(System.nanoTime() - start);
    }
  }

  /** The shorter of {@code own} and what is left; zero when nothing is. */
  public static Duration capping(Duration own) {
    return CURRENT.isBound() ? Duration.ofNanos(cappingNanos(own.toNanos())) : own;
  }

  /** As {@link #capping}, in nanoseconds. */
  public static long cappingNanos(long own) {
    return CURRENT.isBound()
        ? Math.clamp(CURRENT.get().atNanos.get() - System.nanoTime(), 0, own)
        : own;
  }
}
