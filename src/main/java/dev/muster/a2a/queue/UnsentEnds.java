package dev.muster.a2a.queue;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Ends messages that nobody delivers, each batch with all that hangs on it in one transaction. */
@Component
class UnsentEnds {

  static final int MOST_IN_A_BATCH = UnsentRepository.MOST_IN_A_BATCH;

  private final UnsentRepository repository;
  private final EndCounts counts;
  private final TransactionTemplate transactions;

  /** Asked for late: whoever delivers also puts messages into the queue. */
  private final ObjectProvider<QueuedDelivery> delivery;

  UnsentEnds(
      UnsentRepository repository,
      EndCounts counts,
      TransactionTemplate transactions,
      ObjectProvider<QueuedDelivery> delivery) {
    this.repository = repository;
    this.counts = counts;
    this.transactions = transactions;
    this.delivery = delivery;
  }

  /** How many of a batch have expired; a transaction only when there are any. */
  int expireBatch() {
    return repository.anyExpired()
        ? transactions.execute(status -> ended(EndState.EXPIRED, repository.expire()))
        : 0;
  }

  /** How many of a batch wait for these targets since so long, and are dropped. */
  int dropStaleBatch(Collection<UUID> targetIds, int minutes) {
    String why = "dropped by an operator, with all that waited for " + minutes + " minutes";
    return transactions.execute(
        status -> ended(EndState.DROPPED, repository.dropStale(targetIds, minutes, why)));
  }

  /** In the caller's transaction; whether it waited, or was nobody's any more. */
  boolean end(UUID queueId, EndState state, String why) {
    return ended(state, repository.end(queueId, state, why)) > 0;
  }

  /** In the caller's transaction. */
  int dropOf(Collection<UUID> targetIds, String why) {
    return ended(EndState.DROPPED, repository.dropOf(targetIds, why));
  }

  int dropOfRemoved(Collection<UUID> targetIds) {
    return transactions.execute(status -> dropOf(targetIds, "the workspace was removed"));
  }

  private int ended(EndState state, List<EndedUnsent> rows) {
    if (!rows.isEmpty()) {
      counts.countAfterCommit(state, rows.size());
      delivery.ifAvailable(to -> to.ended(rows));
    }
    return rows.size();
  }
}
