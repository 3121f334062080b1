package dev.muster.platform.commit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stores extra rows in the first transaction that the bound thread commits.
 *
 * <p>The rows are written once, just before that COMMIT, so both the change and the rows are stored
 * or neither. A {@link GroupCommit} carries the attachment of the calling thread over to its
 * committer; that value is then alone in its batch.
 */
public abstract class CommitAttachment {

  private enum State {
    WAITING,
    STORED,
    COMMITTED
  }

  private static final ThreadLocal<@Nullable CommitAttachment> CURRENT = new ThreadLocal<>();

  private volatile State state = State.WAITING;

  /**
   * Writes the rows in the thread's transaction; called again after that transaction rolled back.
   */
  protected abstract void store();

  /** Attaches {@code attachment} to the next read-write transaction that this thread commits. */
  public static void bind(CommitAttachment attachment) {
    CURRENT.set(attachment);
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

  /** Returns this thread's uncommitted attachment, for a committer thread; null without one. */
  static @Nullable CommitAttachment waiting() {
    @Nullable CommitAttachment attachment = CURRENT.get();
    return attachment == null || attachment.isCommitted() ? null : attachment;
  }

  static <R> R with(@Nullable CommitAttachment attachment, Supplier<R> work) {
    if (attachment == null) {
      return work.get();
    }
    CURRENT.set(attachment);
    try {
      return work.get();
    } finally {
      CURRENT.remove();
    }
  }

  /** Stores the bound attachment before each commit and tracks whether it committed. */
  @Component
  static class Listener implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      @Nullable CommitAttachment attachment = CURRENT.get();
      if (attachment != null && attachment.state == State.WAITING && !transaction.isReadOnly()) {
        attachment.state = State.STORED;
        attachment.store();
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
      @Nullable CommitAttachment attachment = CURRENT.get();
      if (attachment != null && attachment.state == State.STORED) {
        attachment.state = next;
      }
    }
  }
}
