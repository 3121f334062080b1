package dev.muster.delegation;

import dev.muster.delivery.DelegationMessage;
import dev.muster.delivery.Deliveries;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Service;

/**
 * Has delegations delivered again for operators (R8.9): a message that still waits is taken out of
 * the queue in the transaction that asks for the next one, so that at most one of them is sent.
 */
@Service
class Retries {

  /** Below the 5 s of R0.6. */
  private static final Duration MOST = Duration.ofSeconds(4);

  private final Ledger ledger;
  private final LedgerRepository rows;
  private final Deliveries deliveries;
  private final Dispatch dispatch;
  private final CertainTransactions transactions;

  Retries(
      Ledger ledger,
      LedgerRepository rows,
      Deliveries deliveries,
      Dispatch dispatch,
      CertainTransactions transactions) {
    this.ledger = ledger;
    this.rows = rows;
    this.deliveries = deliveries;
    this.dispatch = dispatch;
    this.transactions = transactions.noLongerThan(MOST);
  }

  /**
   * A {@code stuck} or {@code dispatched} delegation is {@code queued} again, under a new
   * messageId. Throws {@code DELIVERING} (409) while its present message is being sent.
   */
  Granted retry(String delegationId) {
    Granted granted = transactions.runPastDeadlocks(status -> retryLocked(delegationId));
    if (granted instanceof Granted.Done) {
      dispatch.soon(delegationId);
    }
    return granted;
  }

  private Granted retryLocked(String delegationId) {
    List<LockedDelegation> found = rows.lock(List.of(delegationId));
    // first: then the end of the replaced message is no longer that of the delegation
    Granted granted =
        ledger
            .grant(List.of(new Wish(delegationId, new Claimant.Muster(), new Change.Retried())))
            .getFirst();
    if (granted instanceof Granted.Done) {
      withdraw(found.getFirst());
    }
    return granted;
  }

  private void withdraw(LockedDelegation before) {
    DelegationMessage present =
        new DelegationMessage(
            before.delegationId(), before.callerId(), before.calleeId(), before.messageId());
    if (!deliveries.withdraw(present, "an operator has the delegation sent again")) {
      throw new ProblemException(
          ErrorCode.DELIVERING,
          "the message of the delegation is being sent to its callee right now; try again when"
              + " that has ended, or fail the delegation",
          Map.of("delegation_id", before.delegationId()));
    }
  }
}
