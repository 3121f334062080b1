package dev.muster.platform.commit;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What is to happen once the caller's transaction is committed, and not at all if it is not. */
public final class AfterCommit {

  private AfterCommit() {}

  /** Throws {@code IllegalStateException} without a transaction. */
  public static void run(Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            action.run();
          }
        });
  }
}
