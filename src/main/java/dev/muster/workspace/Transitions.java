package dev.muster.workspace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts status changes once they are committed. */
@Component
public class Transitions {

  private final MeterRegistry metrics;

  Transitions(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  /**
   * Counts when the transaction under way commits; {@code reason} is one of a handful of fixed
   * words.
   */
  public void countAfterCommit(WorkspaceStatus from, WorkspaceStatus to, String reason) {
    countAfterCommit(from, to, reason, 1);
  }

  /** Of {@code moved} workspaces at once. */
  public void countAfterCommit(WorkspaceStatus from, WorkspaceStatus to, String reason, int moved) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            Counter.builder("muster.status.transitions")
                .description("Changes of the status of workspaces")
                .tags("from", from.wire(), "to", to.wire(), "reason", reason)
                .register(metrics)
                .increment(moved);
          }
        });
  }
}
