package dev.muster.platform.postgres;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stores an extra row in the first transaction that the bound thread commits.
 *
 * <p>The row is written once, just before that COMMIT, so both the change and the row are stored or
 * neither. A {@link GroupCommit} carries the attachment of the calling thread over to its
 * committer, which stores those of a batch together.
 */
public abstract class CommitAttachment {

  private enum State {
    WAITING,
    STORED,
    COMMITTED
  }

  private static final ThreadLocal<List<CommitAttachment>> BOUND =
      ThreadLocal.withInitial(List::of);

  /** The attachments of the running batch of a committer, by the values that they belong to. */
  private static final ThreadLocal<@Nullable IdentityHashMap<Object, List<CommitAttachment>>>
      BATCH = new ThreadLocal<>();

  private volatile State state = State.WAITING;

  /**
   * Writes the rows of all these attachments, of which this one is the first, in the transaction of
   * {@code statements}; called again after that transaction rolled back.
   */
  protected abstract void store(JdbcTemplate statements, List<CommitAttachment> all);

  /** Attaches {@code attachment} to the next read-write transaction that this thread commits. */
  public static void bind(CommitAttachment attachment) {
    BOUND.set(List.of(attachment));
  }

  /** Returns the attachment of the running request, also after its commit; null without one. */
  public static @Nullable CommitAttachment current() {
    List<CommitAttachment> bound = BOUND.get();
    return bound.isEmpty() ? null : bound.getFirst();
  }

  public static void clear() {
    BOUND.remove();
  }

  public boolean isCommitted() {
    return state == State.COMMITTED;
  }

  /** Whether the next transaction of this thread stores an attachment. */
  public static boolean isAnyWaiting() {
    return BOUND.get().stream().anyMatch(attachment -> attachment.state == State.WAITING);
  }

  /** Returns this thread's uncommitted attachment, for a committer thread; null without one. */
  static @Nullable CommitAttachment waiting() {
    @Nullable CommitAttachment attachment = current();
    return attachment == null || attachment.isCommitted() ? null : attachment;
  }

  /** Runs a batch of a committer with the attachments of its submissions. */
  static <R> R withBatch(List<? extends PendingSubmission<?, ?>> batch, Supplier<R> work) {
    List<CommitAttachment> all = new ArrayList<>();
    IdentityHashMap<Object, List<CommitAttachment>> byValue = new IdentityHashMap<>();
    for (PendingSubmission<?, ?> submission : batch) {
      @Nullable CommitAttachment attachment = submission.attachment;
      List<CommitAttachment> own = attachment == null ? List.of() : List.of(attachment);
      byValue.put(Objects.requireNonNull(submission.value), own);
      all.addAll(own);
    }
    if (all.isEmpty()) {
      return work.get();
    }
    BATCH.set(byValue);
    BOUND.set(all);
    try {
      return work.get();
    } finally {
      BATCH.remove();
      BOUND.remove();
    }
  }

  /** Binds only the attachments of these values, when they are a part of the running batch. */
  static void bindThoseOf(List<?> values) {
    @Nullable IdentityHashMap<Object, List<CommitAttachment>> byValue = BATCH.get();
    if (byValue != null && values.stream().allMatch(byValue::containsKey)) {
      BOUND.set(
          values.stream()
              .flatMap(value -> Objects.requireNonNull(byValue.get(value)).stream())
              .toList());
    }
  }

  /** Stores the bound attachments before each commit and tracks whether they committed. */
  @Component
  public static class Listener implements TransactionExecutionListener {

    private final JdbcTemplate statements;

    /** {@code statements} run in the transactions that are listened to. */
    public Listener(JdbcTemplate statements) {
      this.statements = statements;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      List<CommitAttachment> waiting = inState(State.WAITING);
      if (!waiting.isEmpty() && !transaction.isReadOnly()) {
        move(waiting, State.STORED);
        waiting.getFirst().store(statements, waiting);
      }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      move(inState(State.STORED), failure == null ? State.COMMITTED : State.WAITING);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      move(inState(State.STORED), State.WAITING);
    }

    private static List<CommitAttachment> inState(State state) {
      return BOUND.get().stream().filter(attachment -> attachment.state == state).toList();
    }

    private static void move(List<CommitAttachment> attachments, State next) {
      attachments.forEach(attachment -> attachment.state = next);
    }
  }
}
