package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.message.DelegationCallbacks;
import dev.muster.message.DelegationMessage;
import dev.muster.message.DelegationMessageOutcome;
import dev.muster.message.DelegationMessageOutcome.Answered;
import dev.muster.message.DelegationMessageOutcome.Failed;
import dev.muster.message.DelegationMessageOutcome.Silent;
import dev.muster.protocol.AgentResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Applies the outcomes of messages to their delegations (R8.3). */
@Component
class DelegationMessageHandler implements DelegationCallbacks {

  private final Ledger ledger;
  private final DelegationRepository repository;

  DelegationMessageHandler(Ledger ledger, DelegationRepository repository) {
    this.ledger = ledger;
    this.repository = repository;
  }

  @Override
  public Optional<Duration> remainingTime(DelegationMessage message) {
    return repository
        .inFlight(message.delegationId())
        .filter(open -> open.message().equals(message))
        .map(DelegationRepository.InFlight::remainingTime);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public void complete(List<DelegationMessageOutcome> ends) {
    List<Ledger.Result> _ =
        ledger.apply(ends.stream().map(DelegationMessageHandler::command).toList());
  }

  /**
   * Converts an outcome. A text response counts from any delivery, everything else only from the
   * current one. The status transitions of R8.1 reject an outcome that comes too late.
   */
  private static TransitionRequest command(DelegationMessageOutcome outcome) {
    return switch (outcome) {
      case Answered(DelegationMessage message, AgentResponse.Replied(String text)) ->
          completed(message, text, false);
      case Answered(DelegationMessage message, AgentResponse.Working _) -> started(message);
      case Answered(DelegationMessage message, AgentResponse.Accepted _) -> started(message);
      case Answered(DelegationMessage message, AgentResponse.Malformed(String text)) ->
          failed(message, "MalformedAnswer: it has neither a result nor an error: " + text);
      case Answered(DelegationMessage message, AgentResponse.GaveUp(String state, String text)) ->
          failed(message, "the agent's task is " + state + ": " + text);
      case Silent(DelegationMessage message) -> started(message);
      case Failed(DelegationMessage message, String error) -> failed(message, error);
    };
  }

  private static TransitionRequest completed(
      DelegationMessage message, String text, boolean callerNotified) {
    return new TransitionRequest(
        message.delegationId(),
        Actor.messenger(message),
        new DelegationCommand.Complete(PreviewedText.of(text), callerNotified));
  }

  private static TransitionRequest started(DelegationMessage message) {
    return new TransitionRequest(
        message.delegationId(), Actor.delivery(message), DelegationCommand.Step.START);
  }

  private static TransitionRequest failed(DelegationMessage message, String error) {
    return new TransitionRequest(
        message.delegationId(), Actor.delivery(message), new DelegationCommand.Fail(error));
  }

  @Override
  public Optional<DelegationMessage> findByReply(
      UUID calleeId, UUID callerId, String delegationOrMessageId) {
    String withoutRetry = DelegationIds.withoutRetry(delegationOrMessageId);
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
  public void complete(DelegationMessage message, String reply) {
    List<Ledger.Result> _ = ledger.apply(List.of(completed(message, reply, true)));
  }
}
