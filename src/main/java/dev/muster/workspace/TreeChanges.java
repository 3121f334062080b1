package dev.muster.workspace;

import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Changes the tree one at a time, over all replicas (R2.1).
 *
 * <p>Of one replica only one waits at the database: the others wait here, without a connection that
 * beats could need.
 */
@Component
class TreeChanges {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final ReentrantLock ours = new ReentrantLock(true);
  private final Hierarchy hierarchy;
  private final CertainTransactions transactions;

  TreeChanges(Hierarchy hierarchy, CertainTransactions transactions) {
    this.hierarchy = hierarchy;
    this.transactions = transactions;
  }

  /**
   * Runs {@code work} in a transaction that nobody else changes the tree beside; again after a
   * deadlock, since who removes a branch locks rows of delegations and feeds too.
   */
  <R> R run(Supplier<R> work) {
    if (!isOurTurn()) {
      throw ProblemException.unavailable(
          "too many changes of the tree are waiting; try again in a few seconds");
    }
    try {
      return transactions.runPastDeadlocks(_ -> {
        hierarchy.lock();
        return work.get();
      });
    } finally {
      ours.unlock();
    }
  }

  private boolean isOurTurn() {
    try {
      return ours.tryLock(RequestDeadline.cappingNanos(PATIENCE.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
