package dev.muster.platform.postgres;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs transactions and tells "not stored" from an unknown commit outcome. */
@Component
public class CommitAwareTransactions {

  /**
   * Reports that a transaction failed at or after its COMMIT.
   *
   * <p>Whether it is stored is unknown, so it must not be run again.
   */
  public static final class UnknownCommitOutcomeException extends RuntimeException {

    public UnknownCommitOutcomeException(Throwable cause) {
      super("the outcome of a commit is unknown", cause);
    }
  }

  private final TransactionTemplate transactions;

  CommitAwareTransactions(TransactionTemplate transactions) {
    this.transactions = transactions;
  }

  /** Returns a variant whose transactions time out after {@code most}, rounded down to seconds. */
  public CommitAwareTransactions withTimeout(Duration most) {
    TransactionTemplate shorter =
        new TransactionTemplate(
            Objects.requireNonNull(transactions.getTransactionManager()), transactions);
    shorter.setTimeout((int) most.toSeconds());
    return new CommitAwareTransactions(shorter);
  }

  /**
   * Runs as {@link #run(Supplier)}, and retries after deadlocks and serialization failures.
   *
   * <p>{@code work} can roll back without an exception through its transaction status.
   */
  public <R> R runRetryingDeadlocks(Function<TransactionStatus, R> work) {
    List<BatchOutcome<R>> outcomes =
        BatchRetry.run(List.of(work), _ -> List.of(new BatchOutcome.Done<>(run(work))));
    return switch (outcomes.getFirst()) {
      case BatchOutcome.Done<R>(R result) -> result;
      case BatchOutcome.Failed<R>(RuntimeException cause) -> throw cause;
      case BatchOutcome.Locked<R>() -> throw new IllegalStateException("what waits cannot be busy");
    };
  }

  /**
   * Runs {@code work} in a transaction and rethrows its exception, with nothing stored.
   *
   * <p>A failure at or after the COMMIT is an {@link UnknownCommitOutcomeException}.
   */
  public <R> R run(Supplier<R> work) {
    return run(_ -> work.get());
  }

  /**
   * Runs {@code work}, which is one statement: in a transaction if it has an attachment to store
   * with it, otherwise the statement commits itself.
   */
  public <R> R runStatement(Supplier<R> work) {
    return CommitAttachment.isAnyWaiting() ? run(work) : work.get();
  }

  /**
   * Runs {@code work} in the caller's transaction, which goes on without it when it fails: a
   * savepoint undoes what it did.
   */
  public void runNested(Runnable work) {
    TransactionTemplate nested =
        new TransactionTemplate(Objects.requireNonNull(transactions.getTransactionManager()));
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    nested.executeWithoutResult(_ -> work.run());
  }

  private <R> R run(Function<TransactionStatus, R> work) {
    boolean[] worked = {false};
    try {
      return transactions.execute((TransactionStatus status) -> {
        R result = work.apply(status);
        worked[0] = true;
        return result;
      });
    } catch (RuntimeException e) {
      throw worked[0] ? new UnknownCommitOutcomeException(e) : e;
    }
  }
}
