package dev.muster.platform.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds all waits of a request by one deadline (R1.8).
 *
 * <p>Token look-up, commit and connection share its time. It is bound to the thread that set it.
 * Threads started for a request have none, unless {@link #carry} passes it on. Without a deadline,
 * each wait has only its own bound.
 */
public final class RequestDeadline {

  /** Below the 5 s of R0.6, with time left to send the response. */
  public static final Duration LIMIT = Duration.ofMillis(4500);

  private static final ScopedValue<RequestDeadline> CURRENT = ScopedValue.newInstance();

  private final AtomicLong atNanos;

  private RequestDeadline(long atNanos) {
    this.atNanos = new AtomicLong(atNanos);
  }

  /** Runs a request, or a part of it, under a new deadline. */
  public static <R extends @Nullable Object, X extends Throwable> R within(
      Duration limit, ScopedValue.CallableOp<R, X> work) throws X {
    return ScopedValue.where(CURRENT, new RequestDeadline(System.nanoTime() + limit.toNanos()))
        .call(work);
  }

  /** Runs work that has its own bounds instead of the request's deadline. */
  public static <R extends @Nullable Object, X extends Throwable> R without(
      ScopedValue.CallableOp<R, X> work) throws X {
    return within(Duration.ofDays(1), work);
  }

  /** Wraps work so that another thread runs it under this thread's deadline. */
  public static Runnable carry(Runnable work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    RequestDeadline current = CURRENT.get();
    return () -> ScopedValue.where(CURRENT, current).run(work);
  }

  /**
   * Runs work whose duration does not count against the deadline.
   *
   * <p>The deadline moves on by the time that the work takes. For work that has its own bound and
   * does not wait for the database.
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

  /** Returns the shorter of {@code own} and the remaining time; zero after the deadline. */
  public static Duration capping(Duration own) {
    return CURRENT.isBound() ? Duration.ofNanos(cappingNanos(own.toNanos())) : own;
  }

  /** Does the same as {@link #capping}, in nanoseconds. */
  public static long cappingNanos(long own) {
    return CURRENT.isBound()
        ? Math.clamp(CURRENT.get().atNanos.get() - System.nanoTime(), 0, own)
        : own;
  }
}
