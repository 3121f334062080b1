package dev.muster.delegation;

import dev.muster.a2a.Errand;
import dev.muster.a2a.Errands;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.workspace.Target;
import dev.muster.workspace.Workspaces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The job that brings a delegation on its way (R8.3): its message goes into the callee's feed, or
 * into the queue, in the transaction that says so. Nothing leaves the process here, so nothing can
 * happen twice.
 */
@Component
class Dispatch {

  static final String JOB = "delegation-dispatch";

  private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

  private static final Duration WHILE_THERE_IS_NO_ROOM = Duration.ofSeconds(15);

  /** The sweeper ends what is past its deadline; without it the queue does, a while later. */
  private static final Duration AFTER_THE_DEADLINE = Duration.ofMinutes(15);

  private final Ledger ledger;
  private final LedgerRepository rows;
  private final DelegationRepository delegations;
  private final Workspaces workspaces;
  private final Errands errands;
  private final RemovalFence fence;
  private final CertainTransactions transactions;

  Dispatch(
      Ledger ledger,
      LedgerRepository rows,
      DelegationRepository delegations,
      Workspaces workspaces,
      Errands errands,
      RemovalFence fence,
      CertainTransactions transactions) {
    this.ledger = ledger;
    this.rows = rows;
    this.delegations = delegations;
    this.workspaces = workspaces;
    this.errands = errands;
    this.fence = fence;
    this.transactions = transactions;
  }

  /** After how long to try again; empty when it is on its way, or over. */
  Optional<Duration> run(String delegationId) {
    return transactions.runPastDeadlocks(status -> {
      fence.enterBeforeRemovals(delegationId);
      return rows.lock(List.of(delegationId)).stream()
          .filter(found -> found.status() == DelegationStatus.QUEUED)
          .findFirst()
          .flatMap(this::dispatch);
    });
  }

  private Optional<Duration> dispatch(LockedDelegation delegation) {
    Optional<Target> callee = workspaces.target(delegation.calleeId());
    if (callee.isEmpty()) {
      fail(delegation, "callee removed");
      return Optional.empty();
    }
    if (workspaces.target(delegation.callerId()).isEmpty()) {
      fail(delegation, "caller removed");
      return Optional.empty();
    }
    Errand errand =
        new Errand(
            delegation.delegationId(),
            delegation.callerId(),
            delegation.calleeId(),
            delegation.messageId());
    Duration life =
        Duration.between(delegation.now(), delegation.progress().deadline())
            .plus(AFTER_THE_DEADLINE);
    if (!life.isPositive()) {
      fail(delegation, "deadline exceeded before there was room for it");
      return Optional.empty();
    }
    String task = delegations.texts(delegation.delegationId()).task();
    return switch (errands.hand(errand, callee.get(), task, life)) {
      case DONE -> {
        change(delegation, new Change.Dispatched());
        yield Optional.empty();
      }
      case NO_ROOM -> {
        log.debug("no room for {} at {}", delegation.delegationId(), delegation.calleeId());
        yield Optional.of(WHILE_THERE_IS_NO_ROOM);
      }
      case ID_TAKEN -> {
        fail(delegation, "its messageId names another message of the caller to the callee");
        yield Optional.empty();
      }
    };
  }

  private void fail(LockedDelegation delegation, String why) {
    change(delegation, new Change.Failed(why, null));
  }

  private void change(LockedDelegation delegation, Change change) {
    ledger.grant(List.of(new Wish(delegation.delegationId(), new Claimant.Muster(), change)));
  }
}
