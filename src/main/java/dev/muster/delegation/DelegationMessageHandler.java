package dev.muster.delegation;

import dev.muster.delegation.Command.Actor;
import dev.muster.delivery.DelegationCallbacks;
import dev.muster.delivery.DelegationMessage;
import dev.muster.delivery.DelegationMessageOutcome;
import dev.muster.delivery.DelegationMessageOutcome.Answered;
import dev.muster.delivery.DelegationMessageOutcome.Failed;
import dev.muster.delivery.DelegationMessageOutcome.Silent;
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
  private final DelegationRepository repository;

  DelegationMessageHandler(Ledger ledger, DelegationRepository repository) {
    this.ledger = ledger;
    this.repository = repository;
  }

  @Override
  public Optional<Duration> timeLeft(DelegationMessage message) {
    return repository
        .inFlight(message.delegationId())
        .filter(open -> open.message().equals(message))
        .map(DelegationRepository.InFlight::timeLeft);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public void settle(List<DelegationMessageOutcome> ends) {
    List<Ledger.Result> _ =
        ledger.apply(ends.stream().map(DelegationMessageHandler::command).toList());
  }

  /**
   * An answer counts whichever delivery it is of; a failure only if it is of the present one. What
   * comes too late changes nothing: the life cycle forbids it.
   */
  private static Command command(DelegationMessageOutcome outcome) {
    return switch (outcome) {
      case Answered(DelegationMessage message, TurnAnswer.Said(String text)) ->
          completed(message, text, false);
      case Answered(DelegationMessage message, TurnAnswer.Working _) -> started(message);
      case Answered(DelegationMessage message, TurnAnswer.GaveUp(String state, String text)) ->
          failed(message, "the agent's task is " + state + ": " + text);
      case Silent(DelegationMessage message) -> started(message);
      case Failed(DelegationMessage message, String error) -> failed(message, error);
    };
  }

  private static Command completed(DelegationMessage message, String text, boolean callerNotified) {
    return new Command(
        message.delegationId(),
        Actor.messenger(message),
        new Change.Completed(WholeText.of(text), callerNotified));
  }

  private static Command started(DelegationMessage message) {
    return new Command(message.delegationId(), Actor.delivery(message), Change.Step.START);
  }

  private static Command failed(DelegationMessage message, String error) {
    return new Command(message.delegationId(), Actor.delivery(message), new Change.Failed(error));
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
        .map(DelegationRepository.InFlight::message)
        .filter(open -> open.callerId().equals(callerId) && open.calleeId().equals(calleeId));
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public void settle(DelegationMessage message, String reply) {
    List<Ledger.Result> _ = ledger.apply(List.of(completed(message, reply, true)));
  }
}
