package dev.muster.delegation;

import dev.muster.a2a.DelegationMessenger;
import dev.muster.activity.AppendResult;
import dev.muster.activity.Feeds;
import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.platform.commit.CommitAwareTransactions;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.PresenceLock;
import dev.muster.workspace.Workspaces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Dispatches delegations (R8.3). One transaction appends the message to the callee's feed or queue
 * and stores the status. It sends nothing over the network, so a second run cannot deliver twice.
 * If feed or queue is full, the delegation stays {@code queued}, and the job {@code
 * delegation-dispatch} tries again.
 */
@Component
class DelegationDispatch {

  static final Duration JOB_INTERVAL = Duration.ofSeconds(15);

  private static final Logger log = LoggerFactory.getLogger(DelegationDispatch.class);
  private static final int MAX_PER_RUN = 1000;

  /**
   * Time that a message may wait beyond the deadline. The sweeper ends overdue delegations; without
   * it, the queue does so after this time.
   */
  private static final Duration MAX_OVERDUE = Duration.ofMinutes(15);

  private final Ledger ledger;
  private final LedgerRepository repository;
  private final DelegationRepository delegations;
  private final Workspaces workspaces;
  private final DelegationMessenger messenger;
  private final Feeds feeds;
  private final PresenceLock presence;
  private final CommitAwareTransactions transactions;

  DelegationDispatch(
      Ledger ledger,
      LedgerRepository repository,
      DelegationRepository delegations,
      Workspaces workspaces,
      DelegationMessenger messenger,
      Feeds feeds,
      PresenceLock presence,
      CommitAwareTransactions transactions) {
    this.ledger = ledger;
    this.repository = repository;
    this.delegations = delegations;
    this.workspaces = workspaces;
    this.messenger = messenger;
    this.feeds = feeds;
    this.presence = presence;
    this.transactions = transactions;
  }

  /** Tries again to dispatch queued delegations; one failure does not delay the others. */
  void dispatchQueued() {
    for (String id : delegations.queued(MAX_PER_RUN)) {
      try {
        run(id);
      } catch (RuntimeException e) {
        log.warn("the delegation {} could not be dispatched: {}", id, e.toString());
      }
    }
  }

  /** Dispatches on a separate thread; after a failure the job tries again. */
  void soon(String delegationId) {
    Thread.ofVirtual()
        .name("dispatch-" + delegationId)
        .start(() -> {
          try {
            run(delegationId);
          } catch (RuntimeException e) {
            log.debug("the delegation {} is left to the dispatch job", delegationId, e);
          }
        });
  }

  void run(String delegationId) {
    Optional<Delegation> found = delegations.find(delegationId);
    if (found.isEmpty()) {
      return;
    }
    boolean _ =
        transactions.runRetryingDeadlocks(status -> {
          presence.holds(found.get().callerId(), found.get().calleeId());
          dispatch(delegationId);
          return true;
        });
  }

  /**
   * Dispatches in the caller's transaction, which must hold the {@link PresenceLock} of caller and
   * callee.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void dispatch(String delegationId) {
    repository.lock(List.of(delegationId)).stream()
        .filter(found -> found.status() == DelegationStatus.QUEUED)
        .forEach(this::dispatch);
  }

  private void dispatch(LockedDelegation delegation) {
    Optional<DeliveryTarget> callee = workspaces.target(delegation.calleeId());
    if (callee.isEmpty()) {
      fail(delegation, "callee removed");
      return;
    }
    if (workspaces.target(delegation.callerId()).isEmpty()) {
      fail(delegation, "caller removed");
      return;
    }
    Duration life =
        Duration.between(delegation.now(), delegation.state().deadline()).plus(MAX_OVERDUE);
    if (!life.isPositive()) {
      fail(delegation, "deadline exceeded before there was space for it");
      return;
    }
    enqueue(delegation, callee.get(), life);
  }

  private void enqueue(LockedDelegation delegation, DeliveryTarget callee, Duration life) {
    String task = delegations.texts(delegation.delegationId()).task();
    AppendResult appended =
        feeds
            .appendAll(List.of(messenger.toCallee(delegation.message(), callee, task, life)))
            .getFirst();
    switch (appended) {
      case AppendResult.Stored _, AppendResult.Repeated _ ->
          change(delegation, DelegationCommand.Step.DISPATCH);
      case AppendResult.OtherContent() ->
          fail(delegation, "its messageId names another message of the caller to the callee");
      case AppendResult.FeedFull _,
          AppendResult.QueueFull _,
          AppendResult.Outdated _,
          AppendResult.NotFree _ ->
          log.debug(
              "{} waits: its callee {} takes no message now",
              delegation.delegationId(),
              delegation.calleeId());
    }
  }

  private void fail(LockedDelegation delegation, String why) {
    change(delegation, new DelegationCommand.Fail(why));
  }

  private void change(LockedDelegation delegation, DelegationCommand command) {
    List<Ledger.Result> _ =
        ledger.apply(
            List.of(new TransitionRequest(delegation.delegationId(), Actor.SYSTEM, command)));
  }
}
