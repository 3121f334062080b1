package dev.muster.protocol.client;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of all responses, per target, per sender and in total.
 *
 * <p>A response without memory waits in order of arrival. Waiters whose target or sender has used
 * its share are overtaken.
 *
 * <p>Responses that grow while they are read could block each other. One of them at a time may
 * therefore exceed all bounds, so that at least one completes. Its excess does not reduce the
 * memory of the others.
 */
public final class ResponseMemoryBudget {

  /** Bytes of each response that are not counted, so that small responses are free. */
  public static final int FREE = 256 * 1024;

  /** A target, and a sender, may hold one of {@code SHARES} parts of the budget. */
  private static final int SHARES = 4;

  private static final Duration MAX_PIECE_TIME = Duration.ofSeconds(10);
  private static final Duration MAX_ANSWER_TIME = Duration.ofMinutes(2);

  /** A waiting request for {@code bytes} more than the {@code held} ones. */
  private record Waiter(
      ResponseMemoryAllocation space,
      ResponseMemoryShare target,
      ResponseMemoryShare sender,
      long held,
      long bytes) {

    boolean isWithinShares() {
      return target.fits(held, bytes) && sender.fits(held, bytes);
    }
  }

  /**
   * The memory held by the responses of one target or one sender.
   *
   * <p>Guarded by the lock of the {@link ResponseMemoryBudget}. A single response may exceed the
   * limit.
   */
  private static final class ResponseMemoryShare {

    private final long most;
    private long taken;
    private int users;

    ResponseMemoryShare(long most) {
      this.most = most;
    }

    /**
     * Returns whether {@code bytes} fit; {@code held} is what the requesting response already has.
     */
    boolean fits(long held, long bytes) {
      return bytes <= most - taken || taken == held;
    }

    void take(long bytes) {
      taken += bytes;
    }

    void release(long bytes) {
      taken -= bytes;
    }

    void enter() {
      users++;
    }

    /** Removes one user; returns whether the share is still in use. */
    boolean leave() {
      users--;
      return users > 0 || taken > 0;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Waiter> waiting = new ArrayDeque<>();
  private final Map<Object, ResponseMemoryShare> targets = new HashMap<>();
  private final Map<Object, ResponseMemoryShare> senders = new HashMap<>();
  private final long most;
  private final long share;
  private final Duration longestPiece;
  private final Duration longestAnswer;
  private long taken;
  private @Nullable ResponseMemoryAllocation oversized;
  private long takenByOversized;

  /** Creates a budget of {@code most} bytes, at least 1; a single response may exceed it. */
  public ResponseMemoryBudget(long most) {
    this(most, MAX_PIECE_TIME, MAX_ANSWER_TIME);
  }

  /**
   * Creates a budget.
   *
   * @param longestPiece maximum time for each {@link #FREE} bytes of a counted response
   * @param longestAnswer maximum time for a whole counted response
   */
  ResponseMemoryBudget(long most, Duration longestPiece, Duration longestAnswer) {
    if (most < 1) {
      throw new IllegalArgumentException("most: " + most + " (expected: 1 byte or more)");
    }
    this.most = most;
    this.share = Math.max(1, most / SHARES);
    this.longestPiece = longestPiece;
    this.longestAnswer = longestAnswer;
  }

  /** Returns a budget without effective limits of memory and time, for an agent's own process. */
  public static ResponseMemoryBudget unlimited() {
    Duration year = Duration.ofDays(365);
    return new ResponseMemoryBudget(Long.MAX_VALUE, year, year);
  }

  /**
   * Opens the allocation of one response; close it when the response is no longer needed.
   *
   * @param target the responding agent, a value with {@code equals}
   * @param sender the caller that sends the request, a value with {@code equals}
   */
  public ResponseMemoryAllocation open(Object target, Object sender) {
    return new ResponseMemoryAllocation(this, target, sender);
  }

  /** Returns the number of bytes currently held. */
  public long taken() {
    lock.lock();
    try {
      return taken;
    } finally {
      lock.unlock();
    }
  }

  ResponseRate pace() {
    return new ResponseRate(longestPiece, longestAnswer);
  }

  /**
   * Waits until {@code bytes} are available; {@code held} is what the allocation already has.
   *
   * @throws InterruptedIOException at the deadline, or when the thread is interrupted
   */
  void take(ResponseMemoryAllocation space, long held, long bytes, Deadline deadline)
      throws InterruptedIOException {
    lock.lock();
    try {
      ResponseMemoryShare target = entered(targets, space.target());
      ResponseMemoryShare sender = entered(senders, space.sender());
      Waiter waiter = new Waiter(space, target, sender, held, bytes);
      waiting.add(waiter);
      try {
        while (!mayTake(waiter)) {
          if (changed.awaitNanos(deadline.left().toNanos()) <= 0 && !mayTake(waiter)) {
            throw new InterruptedIOException("no memory by the deadline");
          }
        }
        take(waiter);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      } finally {
        waiting.remove(waiter);
        left(targets, space.target());
        left(senders, space.sender());
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean mayTake(Waiter waiter) {
    return isWithinBounds(waiter)
        || oversized == waiter.space()
        || (oversized == null && waiter.held() > 0);
  }

  private boolean isWithinBounds(Waiter waiter) {
    long takenWithin = taken - takenByOversized;
    return waiter.isWithinShares()
        && (waiter.bytes() <= most - takenWithin || takenWithin == waiter.held())
        && (waiter.held() > 0 || isFirst(waiter));
  }

  private void take(Waiter waiter) {
    if (!isWithinBounds(waiter)) {
      oversized = waiter.space();
      takenByOversized += waiter.bytes();
    }
    taken += waiter.bytes();
    waiter.target().take(waiter.bytes());
    waiter.sender().take(waiter.bytes());
  }

  /** Returns whether no earlier waiter is also within its shares. */
  private boolean isFirst(Waiter waiter) {
    for (Waiter one : waiting) {
      if (one.equals(waiter) || one.isWithinShares()) {
        return one.equals(waiter);
      }
    }
    return true;
  }

  /** Releases bytes; also ends the allocation's permission to exceed the bounds. */
  void release(ResponseMemoryAllocation space, long bytes) {
    lock.lock();
    try {
      taken -= bytes;
      if (oversized == space) {
        oversized = null;
        takenByOversized = 0;
      }
      entered(targets, space.target()).release(bytes);
      entered(senders, space.sender()).release(bytes);
      left(targets, space.target());
      left(senders, space.sender());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private ResponseMemoryShare entered(Map<Object, ResponseMemoryShare> shares, Object owner) {
    ResponseMemoryShare entered =
        shares.computeIfAbsent(owner, key -> new ResponseMemoryShare(share));
    entered.enter();
    return entered;
  }

  /** Removes unused shares, so that the maps do not grow. */
  private static void left(Map<Object, ResponseMemoryShare> shares, Object owner) {
    shares.computeIfPresent(owner, (key, one) -> one.leave() ? one : null);
  }
}
