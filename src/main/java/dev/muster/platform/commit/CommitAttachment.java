package dev.muster.platform.commit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * What is stored together with the change that a thread is about to make: once, in the first
 * transaction that commits, just before it does. So there is either both or none. A change that is
 * made by a {@link GroupCommit} takes it along, and is then alone in its batch; a thread without
 * one costs nothing.
 */
public abstract class CommitAttachment {

  private enum State {
    WAITING,
    STORED,
    COMMITTED
  }

  private static final ThreadLocal<@Nullable CommitAttachment> CURRENT = new ThreadLocal<>();

  private volatile State state = State.WAITING;

  /** Writes it, in the transaction of the thread; again after a transaction that was undone. */
  protected abstract void store();

  /** From now on the thread's next commit takes it along. */
  public static void bind(CommitAttachment rider) {
    CURRENT.set(rider);
  }

  public static @Nullable CommitAttachment current() {
    return CURRENT.get();
  }

  public static void clear() {
    CURRENT.remove();
  }

  public boolean isCommitted() {
    return state == State.COMMITTED;
  }

  /** The thread's, for another thread that makes its change. */
  static @Nullable CommitAttachment waiting() {
    @Nullable CommitAttachment rider = CURRENT.get();
    return rider == null || rider.isCommitted() ? null : rider;
  }

  static <R> R with(@Nullable CommitAttachment rider, Supplier<R> work) {
    if (rider == null) {
      return work.get();
    }
    CURRENT.set(rider);
    try {
      return work.get();
    } finally {
      CURRENT.remove();
    }
  }

  /** Looks at every transaction that begins and ends on its own. */
  @Component
  static class Listener implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      @Nullable CommitAttachment rider = CURRENT.get();
      if (rider != null && rider.state == State.WAITING && !transaction.isReadOnly()) {
        rider.state = State.STORED;
        rider.store();
      }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      leave(failure == null ? State.COMMITTED : State.WAITING);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      leave(State.WAITING);
    }

    private static void leave(State next) {
      @Nullable CommitAttachment rider = CURRENT.get();
      if (rider != null && rider.state == State.STORED) {
        rider.state = next;
      }
    }
  }
}
