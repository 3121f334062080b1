package dev.muster.platform.commit;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs transactions so that "nothing is stored" and "nobody knows" are two different failures. */
@Component
public class CommitAwareTransactions {

  private final TransactionTemplate transactions;

  CommitAwareTransactions(TransactionTemplate transactions) {
    this.transactions = transactions;
  }

  /** The same, but a transaction that takes longer is given up. */
  public CommitAwareTransactions withTimeout(Duration most) {
    TransactionTemplate shorter =
        new TransactionTemplate(
            Objects.requireNonNull(transactions.getTransactionManager()), transactions);
    shorter.setTimeout((int) most.toSeconds());
    return new CommitAwareTransactions(shorter);
  }

  /**
   * As {@link #run(Supplier)}, and tried again after deadlocks; {@code work} may have all of it
   * taken back by its status, without an exception.
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
   * Throws what {@code work} throws, and then nothing is stored; a failure at or after the COMMIT
   * is an {@link UnknownCommitOutcomeException}.
   */
  public <R> R run(Supplier<R> work) {
    return run(_ -> work.get());
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
