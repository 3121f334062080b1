package dev.muster.platform.commit;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs transactions so that "nothing is stored" and "nobody knows" are two different failures. */
@Component
public class CertainTransactions {

  private final TransactionTemplate transactions;

  CertainTransactions(TransactionTemplate transactions) {
    this.transactions = transactions;
  }

  /** The same, but a transaction that takes longer is given up. */
  public CertainTransactions noLongerThan(Duration most) {
    TransactionTemplate shorter =
        new TransactionTemplate(
            Objects.requireNonNull(transactions.getTransactionManager()), transactions);
    shorter.setTimeout((int) most.toSeconds());
    return new CertainTransactions(shorter);
  }

  /**
   * Throws what {@code work} throws, and then nothing is stored; a failure at or after the COMMIT
   * is an {@link UncertainCommitException}.
   */
  public <R> R run(Supplier<R> work) {
    boolean[] worked = {false};
    try {
      return transactions.execute((TransactionStatus status) -> {
        R result = work.get();
        worked[0] = true;
        return result;
      });
    } catch (RuntimeException e) {
      throw worked[0] ? new UncertainCommitException(e) : e;
    }
  }
}
