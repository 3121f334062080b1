package dev.muster.protocol.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of all answers that are held at once: of one target, of one sender, and of all.
 * An answer that finds no room waits, in the order of arrival; those whose target or sender has its
 * share let others pass.
 *
 * <p>An answer that grows while it is read may find no room for more of itself while all the others
 * that hold room do the same: one of them at a time may go beyond all bounds, so there is always
 * one that comes to its end. What it has beyond them is not taken from the others.
 */
public final class ResponseMemoryBudget {

  /** What small answers take is not counted. */
  public static final int FREE = 256 * 1024;

  /** A target, and a sender, may hold one part in so many. */
  private static final int SHARES = 4;

  private static final Duration MAX_PIECE_TIME = Duration.ofSeconds(10);
  private static final Duration MAX_ANSWER_TIME = Duration.ofMinutes(2);

  /** {@code held} is what the space has already; {@code bytes} are what it needs beside that. */
  private record Waiter(
      ResponseMemoryAllocation space,
      ResponseMemoryShare target,
      ResponseMemoryShare sender,
      long held,
      long bytes) {

    boolean isWithinShares() {
      return target.hasRoom(held, bytes) && sender.hasRoom(held, bytes);
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

  /** {@code most} in bytes; one answer alone may have more. */
  public ResponseMemoryBudget(long most) {
    this(most, MAX_PIECE_TIME, MAX_ANSWER_TIME);
  }

  /**
   * @param longestPiece in which {@link #FREE} bytes of an answer must come once it is counted
   * @param longestAnswer in which all of it must come
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

  /** For a process of one's own: answers may also take their time. */
  public static ResponseMemoryBudget unlimited() {
    Duration year = Duration.ofDays(365);
    return new ResponseMemoryBudget(Long.MAX_VALUE, year, year);
  }

  /**
   * For one answer; to be closed when it is not needed any more.
   *
   * @param target who gives it, and {@code sender} who asks for it: values with {@code equals}
   */
  public ResponseMemoryAllocation open(Object target, Object sender) {
    return new ResponseMemoryAllocation(this, target, sender);
  }

  /** How many bytes are held now. */
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

  /** Waits for room; {@code held} is what this one has already. */
  void take(ResponseMemoryAllocation space, long held, long bytes) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      ResponseMemoryShare target = entered(targets, space.target());
      ResponseMemoryShare sender = entered(senders, space.sender());
      Waiter waiter = new Waiter(space, target, sender, held, bytes);
      waiting.add(waiter);
      try {
        while (!mayTake(waiter)) {
          changed.await();
        }
        take(waiter);
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

  /** Of those that wait for nothing but the bound of all. */
  private boolean isFirst(Waiter waiter) {
    for (Waiter one : waiting) {
      if (one.equals(waiter) || one.isWithinShares()) {
        return one.equals(waiter);
      }
    }
    return true;
  }

  /** All that the space has. */
  void giveBack(ResponseMemoryAllocation space, long bytes) {
    lock.lock();
    try {
      taken -= bytes;
      if (oversized == space) {
        oversized = null;
        takenByOversized = 0;
      }
      entered(targets, space.target()).giveBack(bytes);
      entered(senders, space.sender()).giveBack(bytes);
      left(targets, space.target());
      left(senders, space.sender());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private ResponseMemoryShare entered(Map<Object, ResponseMemoryShare> shares, Object owner) {
    ResponseMemoryShare entered =
        shares.computeIfAbsent(owner, _ -> new ResponseMemoryShare(share));
    entered.enter();
    return entered;
  }

  /** Shares that nobody uses are not kept. */
  private static void left(Map<Object, ResponseMemoryShare> shares, Object owner) {
    shares.computeIfPresent(owner, (_, one) -> one.leave() ? one : null);
  }
}
