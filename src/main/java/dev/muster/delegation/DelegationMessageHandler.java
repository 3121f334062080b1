package dev.muster.delegation;

import dev.muster.activity.NewActivity;
import dev.muster.delivery.DelegationCallbacks;
import dev.muster.delivery.DelegationMessage;
import dev.muster.delivery.DelegationMessageOutcome;
import dev.muster.protocol.TurnAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** What the ends of messages mean for the delegations that they were sent for (R8.3). */
@Component
class DelegationMessageHandler implements DelegationCallbacks {

  private final Ledger ledger;
  private final DelegationLookup repository;

  DelegationMessageHandler(Ledger ledger, DelegationLookup repository) {
    this.ledger = ledger;
    this.repository = repository;
  }

  @Override
  public Optional<Duration> timeLeft(DelegationMessage message) {
    return repository
        .inFlight(message.delegationId())
        .filter(open -> open.isCarriedBy(message))
        .map(DelegationLookup.InFlight::timeLeft);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public List<NewActivity> settle(List<DelegationMessageOutcome> ends) {
    return ledger.enter(ends.stream().map(this::wish).toList()).rows();
  }

  /** What came too late changes nothing: the life cycle forbids it. */
  private Wish wish(DelegationMessageOutcome end) {
    DelegationMessage message = end.message();
    return new Wish(message.delegationId(), claimant(end), change(end));
  }

  /** An answer counts whichever delivery it is of; a failure only if it is of the present one. */
  private static Claimant claimant(DelegationMessageOutcome end) {
    DelegationMessage message = end.message();
    return switch (end) {
      case DelegationMessageOutcome.Answered(DelegationMessage _, TurnAnswer.Said _) ->
          new Claimant.Carrier(message.callerId(), message.calleeId());
      case DelegationMessageOutcome.Answered _,
          DelegationMessageOutcome.Refused _,
          DelegationMessageOutcome.Silent _,
          DelegationMessageOutcome.Undelivered _ ->
          new Claimant.Delivery(message.callerId(), message.calleeId(), message.messageId());
    };
  }

  private static Change change(DelegationMessageOutcome end) {
    return switch (end) {
      case DelegationMessageOutcome.Answered(DelegationMessage _, TurnAnswer.Said(String text)) ->
          new Change.Completed(WholeText.of(text), false);
      case DelegationMessageOutcome.Answered(DelegationMessage _, TurnAnswer.Working _) ->
          new Change.Started();
      case DelegationMessageOutcome.Answered(
              DelegationMessage _,
              TurnAnswer.GaveUp(String state, String text)) ->
          new Change.Failed("the agent's task is " + state + ": " + text, null);
      case DelegationMessageOutcome.Refused(DelegationMessage _, String error) ->
          new Change.Failed(error, null);
      case DelegationMessageOutcome.Silent _ -> new Change.Started();
      case DelegationMessageOutcome.Undelivered(DelegationMessage _, String error) ->
          new Change.Failed(error, null);
    };
  }

  @Override
  public Optional<DelegationMessage> repliedTo(
      UUID calleeId, UUID callerId, String delegationOrMessageId) {
    String withoutRetry = MessageIds.withoutRetry(delegationOrMessageId);
    return repository
        .inFlight(delegationOrMessageId)
        .or(() ->
            withoutRetry.equals(delegationOrMessageId)
                ? Optional.empty()
                : repository.inFlight(withoutRetry))
        .filter(open -> open.callerId().equals(callerId) && open.calleeId().equals(calleeId))
        .map(DelegationLookup.InFlight::message);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public void settle(DelegationMessage message, String reply) {
    ledger.grant(
        List.of(
            new Wish(
                message.delegationId(),
                new Claimant.Carrier(message.callerId(), message.calleeId()),
                new Change.Completed(WholeText.of(reply), true))));
  }
}
