package dev.muster.workspace;

import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Runs changes of the hierarchy one at a time, over all replicas (R2.1).
 *
 * <p>At most one thread per replica waits for the advisory lock. The others wait for a local lock,
 * up to 2 s, and hold no connection that heartbeats could need.
 */
@Component
class HierarchyLock {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final ReentrantLock ofReplica = new ReentrantLock(true);
  private final Hierarchy hierarchy;
  private final CommitAwareTransactions transactions;

  HierarchyLock(Hierarchy hierarchy, CommitAwareTransactions transactions) {
    this.hierarchy = hierarchy;
    this.transactions = transactions;
  }

  /**
   * Runs {@code work} in a transaction that holds the hierarchy lock. It retries after a deadlock,
   * because a removal also locks rows of delegations and feeds.
   */
  <R> R run(Supplier<R> work) {
    if (!acquireSlot()) {
      throw ProblemException.unavailable(
          "too many changes of the tree are waiting; try again in a few seconds");
    }
    try {
      return transactions.runRetryingDeadlocks(_ -> {
        hierarchy.lock();
        return work.get();
      });
    } finally {
      ofReplica.unlock();
    }
  }

  private boolean acquireSlot() {
    try {
      return ofReplica.tryLock(
          RequestDeadline.cappingNanos(TIMEOUT.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
