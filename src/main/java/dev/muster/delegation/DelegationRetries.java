package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.message.WaitingMessages;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Service;

/**
 * Delivers delegations again for operators (R8.9). The transaction that requests the next message
 * removes the waiting one from the queue. So at most one of them is sent.
 */
@Service
class DelegationRetries {

  /** Below the 5 s of R0.6. */
  private static final Duration MAX_DURATION = Duration.ofSeconds(4);

  private final Ledger ledger;
  private final LedgerRepository repository;
  private final WaitingMessages waiting;
  private final DelegationDispatch dispatch;
  private final CommitAwareTransactions transactions;

  DelegationRetries(
      Ledger ledger,
      LedgerRepository repository,
      WaitingMessages waiting,
      DelegationDispatch dispatch,
      CommitAwareTransactions transactions) {
    this.ledger = ledger;
    this.repository = repository;
    this.waiting = waiting;
    this.dispatch = dispatch;
    this.transactions = transactions.withTimeout(MAX_DURATION);
  }

  /**
   * Moves a {@code stuck} or {@code dispatched} delegation to {@code queued}, under a new
   * messageId. Throws {@code DELIVERING} (409) while its current message is being sent.
   */
  Ledger.Result retry(String delegationId) {
    Ledger.Result result = transactions.runRetryingDeadlocks(status -> retryLocked(delegationId));
    if (result instanceof Ledger.Result.Applied) {
      dispatch.soon(delegationId);
    }
    return result;
  }

  private Ledger.Result retryLocked(String delegationId) {
    List<LockedDelegation> found = repository.lock(List.of(delegationId));
    // before the withdrawal: the end of the replaced message then no longer ends the delegation
    Ledger.Result result =
        ledger
            .apply(
                List.of(
                    new TransitionRequest(
                        delegationId, Actor.SYSTEM, DelegationCommand.Step.RETRY)))
            .getFirst();
    if (result instanceof Ledger.Result.Applied) {
      withdraw(found.getFirst());
    }
    return result;
  }

  private void withdraw(LockedDelegation before) {
    if (!waiting.withdraw(before.message(), "replaced when an operator retried the delegation")) {
      throw new ProblemException(
          ErrorCode.DELIVERING,
          "the message of the delegation is being sent to its callee right now; try again when"
              + " that has ended, or fail the delegation",
          Map.of("delegation_id", before.delegationId()));
    }
  }
}
