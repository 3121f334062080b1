package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.Queued;
import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.message.AppendResult;
import dev.muster.message.DelegationMessage;
import dev.muster.message.DelegationMessenger;
import dev.muster.message.Feeds;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.work.FailingUnits;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.PresenceLock;
import dev.muster.workspace.Workspaces;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
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
  private static final int PAGE_SIZE = 1000;
  private static final int MAX_PAGES_PER_RUN = 100;
  private static final int MAX_TRIED_PER_RUN = 1000;

  private final Ledger ledger;
  private final LedgerRepository repository;
  private final DelegationRepository delegations;
  private final Workspaces workspaces;
  private final DelegationMessenger messenger;
  private final Feeds feeds;
  private final PresenceLock presence;
  private final CommitAwareTransactions transactions;
  private final FailingUnits failing;

  /** Where the next run of the job begins. */
  private Queued position = Queued.FIRST;

  DelegationDispatch(
      Ledger ledger,
      LedgerRepository repository,
      DelegationRepository delegations,
      Workspaces workspaces,
      DelegationMessenger messenger,
      Feeds feeds,
      PresenceLock presence,
      CommitAwareTransactions transactions,
      MeterRegistry metrics) {
    this.ledger = ledger;
    this.repository = repository;
    this.delegations = delegations;
    this.workspaces = workspaces;
    this.messenger = messenger;
    this.feeds = feeds;
    this.presence = presence;
    this.transactions = transactions;
    this.failing = new FailingUnits("delegation-dispatch", metrics);
  }

  /**
   * Tries again to dispatch queued delegations. One failure does not delay the others, and neither
   * do many delegations to one callee without space: a run tries it once. The next run goes on
   * where a long one ended.
   */
  synchronized void dispatchQueued() {
    Set<UUID> full = new HashSet<>();
    int tried = 0;
    for (int pages = 0; pages < MAX_PAGES_PER_RUN; pages++) {
      List<Queued> page = delegations.queued(position, PAGE_SIZE);
      for (Queued one : page) {
        if (tried == MAX_TRIED_PER_RUN) {
          return;
        }
        position = one;
        if (!full.contains(one.calleeId())) {
          tried++;
          if (!tryToDispatch(one.delegationId())) {
            full.add(one.calleeId());
          }
        }
      }
      if (page.size() < PAGE_SIZE) {
        position = Queued.FIRST;
        return;
      }
    }
  }

  /** Returns false if the callee takes no message now; a failure says nothing about the callee. */
  private boolean tryToDispatch(String delegationId) {
    AtomicBoolean takesMessages = new AtomicBoolean(true);
    boolean _ = failing.run(delegationId, () -> takesMessages.set(run(delegationId)));
    return takesMessages.get();
  }

  /** Dispatches on a separate thread; after a failure the job tries again. */
  void soon(String delegationId) {
    Thread.ofVirtual()
        .name("dispatch-" + delegationId)
        .start(() -> {
          try {
            boolean _ = run(delegationId);
          } catch (RuntimeException e) {
            log.debug("the delegation {} is left to the dispatch job", delegationId, e);
          }
        });
  }

  /** Returns false if it stays queued, since the callee takes no message now. */
  boolean run(String delegationId) {
    Optional<Delegation> found = delegations.find(delegationId);
    return found.isEmpty()
        || transactions.runRetryingDeadlocks(status -> {
          presence.holds(found.get().callerId(), found.get().calleeId());
          return dispatch(delegationId);
        });
  }

  /**
   * Dispatches in the caller's transaction, which must hold the {@link PresenceLock} of caller and
   * callee. Returns as {@link #run}.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean dispatch(String delegationId) {
    return repository.lock(List.of(delegationId)).stream()
        .filter(found -> found.status() == DelegationStatus.QUEUED)
        .allMatch(this::dispatch);
  }

  private boolean dispatch(LockedDelegation delegation) {
    Map<UUID, DeliveryTarget> found =
        workspaces.targets(List.of(delegation.calleeId(), delegation.callerId()));
    @Nullable DeliveryTarget callee = found.get(delegation.calleeId());
    if (callee == null) {
      fail(delegation, "callee removed");
      return true;
    }
    if (!found.containsKey(delegation.callerId())) {
      fail(delegation, "caller removed");
      return true;
    }
    Duration life =
        Duration.between(delegation.now(), delegation.state().deadline())
            .plus(DelegationMessage.MAX_OVERDUE);
    if (!life.isPositive()) {
      fail(delegation, "deadline exceeded before there was space for it");
      return true;
    }
    return enqueue(delegation, callee, life);
  }

  private boolean enqueue(LockedDelegation delegation, DeliveryTarget callee, Duration life) {
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
          AppendResult.NotFree _ -> {
        log.debug(
            "{} waits: its callee {} takes no message now",
            delegation.delegationId(),
            delegation.calleeId());
        return false;
      }
    }
    return true;
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
