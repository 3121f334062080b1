package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.NewDelegation;
import dev.muster.delegation.DelegationRepository.OfKey;
import dev.muster.event.Events;
import dev.muster.message.AppendResult;
import dev.muster.message.Feeds;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.PresenceLock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Adds delegations to the ledger (R8.2). One transaction writes the delegation, its event, the
 * caller's row and the dispatch, or nothing.
 */
@Service
class DelegationCreation {

  private final DelegationRepository repository;
  private final ResultActivities results;
  private final Events events;
  private final Feeds feeds;
  private final DelegationDispatch dispatch;
  private final PresenceLock presence;
  private final CommitAwareTransactions transactions;

  DelegationCreation(
      DelegationRepository repository,
      ResultActivities results,
      Events events,
      Feeds feeds,
      DelegationDispatch dispatch,
      PresenceLock presence,
      CommitAwareTransactions transactions) {
    this.repository = repository;
    this.results = results;
    this.events = events;
    this.feeds = feeds;
    this.dispatch = dispatch;
    this.presence = presence;
    this.transactions = transactions;
  }

  /**
   * An accepted request.
   *
   * @param known the earlier delegation with the same key; null if this one is new
   */
  record Accepted(String delegationId, @Nullable Delegation known) {}

  /**
   * Creates a delegation and returns after the commit. From then on the delegation survives the end
   * of this server. Throws {@code IDEMPOTENCY_KEY_REUSED} if the key is one of another task.
   */
  Accepted delegate(UUID callerId, DeliveryTarget callee, DelegateRequest request) {
    return transactions.runRetryingDeadlocks(status -> {
      presence.require(callerId, callee.id());
      // the locked head serialises the caller's requests, so two with one key cannot both insert
      feeds.lock(Set.of(callerId, callee.id()));
      @Nullable String key = request.idempotencyKey().orElse(null);
      Optional<OfKey> known =
          key == null
              ? Optional.empty()
              : repository.findByKey(callerId, key, callee.id(), request.task());
      if (known.isPresent()) {
        Delegation delegation = requireSame(known.get());
        return new Accepted(delegation.delegationId(), delegation);
      }
      NewDelegation delegation =
          new NewDelegation(
              DelegationRepository.newId().toString(),
              callerId,
              callee.id(),
              request.task(),
              DelegationStatus.QUEUED,
              request.span(),
              key,
              request.parent().orElse(null));
      repository.insert(delegation);
      recordEvents(delegation, callee.name());
      boolean _ = dispatch.dispatch(delegation.delegationId());
      return new Accepted(delegation.delegationId(), null);
    });
  }

  private static Delegation requireSame(OfKey known) {
    String id = known.delegation().delegationId();
    if (!known.isSame()) {
      throw new ProblemException(
          ErrorCode.IDEMPOTENCY_KEY_REUSED,
          "idempotency_key: it is the key of the delegation "
              + id
              + ", of another task or for another workspace (expected: a new key for each task,"
              + " like a new UUID)",
          Map.of("delegation_id", id));
    }
    return known.delegation();
  }

  /**
   * Records a delegation that the caller sent itself (R8.4). Does nothing if the ledger has it
   * already.
   */
  void record(
      UUID callerId,
      DeliveryTarget callee,
      String delegationId,
      PreviewedText task,
      Optional<String> parent) {
    NewDelegation delegation =
        new NewDelegation(
            delegationId,
            callerId,
            callee.id(),
            task,
            DelegationStatus.DISPATCHED,
            DelegateRequest.USUAL_SPAN,
            null,
            parent.orElse(null));
    boolean isNew =
        transactions.runRetryingDeadlocks(status -> {
          presence.require(callerId, callee.id());
          boolean inserted = repository.insert(delegation);
          if (inserted) {
            recordEvents(delegation, callee.name());
          }
          return inserted;
        });
    if (!isNew
        && repository.find(delegationId).filter(is -> is.callerId().equals(callerId)).isEmpty()) {
      throw new ProblemException(
          ErrorCode.DELEGATION_ID_TAKEN,
          "delegation_id: another workspace has a delegation of this id (expected: an id of your"
              + " own, like a new UUID)");
    }
  }

  private void recordEvents(NewDelegation delegation, String calleeName) {
    events.record(DelegationEvents.sent(delegation));
    AppendResult appended =
        feeds.appendAll(List.of(results.delegated(delegation, calleeName))).getFirst();
    if (appended instanceof AppendResult.FeedFull full) {
      throw full.refusal();
    }
  }
}
