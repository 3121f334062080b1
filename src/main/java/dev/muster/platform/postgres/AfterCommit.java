package dev.muster.platform.postgres;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Runs an action after the caller's transaction commits, and never after a rollback. */
public final class AfterCommit {

  private AfterCommit() {}

  /** Throws {@code IllegalStateException} when no transaction is active. */
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
