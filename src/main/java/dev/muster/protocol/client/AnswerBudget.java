package dev.muster.protocol.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of all answers that are held at once. Whoever finds no room waits, in the order
 * in which they came.
 *
 * <p>An answer that grows while it is read may find no room for more of itself while all the others
 * that hold room do the same: one of them at a time may go beyond the bound, so there is always one
 * that comes to its end.
 */
public final class AnswerBudget {

  /** What small answers take is not counted. */
  static final int FREE = 256 * 1024;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<AnswerSpace> waiting = new ArrayDeque<>();
  private final long most;
  private long taken;
  private @Nullable AnswerSpace beyond;

  /** {@code most} in bytes; one answer alone may have more. */
  public AnswerBudget(long most) {
    if (most < 1) {
      throw new IllegalArgumentException("most: " + most + " (expected: 1 byte or more)");
    }
    this.most = most;
  }

  public static AnswerBudget unlimited() {
    return new AnswerBudget(Long.MAX_VALUE);
  }

  /** For one answer; to be closed when nobody needs that any more. */
  public AnswerSpace open() {
    return new AnswerSpace(this);
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

  /** Waits for room; {@code held} is what this one has already. */
  void take(AnswerSpace space, long held, long bytes) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      waiting.add(space);
      try {
        while (!isTurnOf(space, held, bytes)) {
          changed.await();
        }
      } finally {
        waiting.remove(space);
        changed.signalAll();
      }
      taken += bytes;
    } finally {
      lock.unlock();
    }
  }

  private boolean isTurnOf(AnswerSpace space, long held, long bytes) {
    if (held > 0) {
      if (bytes <= most - taken) {
        return true;
      }
      if (beyond == null) {
        beyond = space;
      }
      return beyond == space;
    }
    return waiting.peekFirst() == space && (taken == 0 || bytes <= most - taken);
  }

  /** All that the space has. */
  void giveBack(AnswerSpace space, long bytes) {
    lock.lock();
    try {
      taken -= bytes;
      if (beyond == space) {
        beyond = null;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
