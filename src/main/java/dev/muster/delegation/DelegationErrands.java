package dev.muster.delegation;

import dev.muster.a2a.Errand;
import dev.muster.a2a.ErrandEnd;
import dev.muster.a2a.ErrandOwner;
import dev.muster.activity.NewActivity;
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
class DelegationErrands implements ErrandOwner {

  private final Ledger ledger;
  private final ErrandRepository repository;

  DelegationErrands(Ledger ledger, ErrandRepository repository) {
    this.ledger = ledger;
    this.repository = repository;
  }

  @Override
  public Optional<Duration> timeLeft(Errand errand) {
    return repository
        .inFlight(errand.delegationId())
        .filter(open -> open.isCarriedBy(errand))
        .map(ErrandRepository.InFlight::timeLeft)
        .filter(Duration::isPositive);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public List<NewActivity> settle(List<ErrandEnd> ends) {
    return ledger.enter(ends.stream().map(this::wish).toList()).rows();
  }

  /** What came too late changes nothing: the life cycle forbids it. */
  private Wish wish(ErrandEnd end) {
    Errand errand = end.errand();
    return new Wish(errand.delegationId(), claimant(end), change(end));
  }

  /** An answer counts whichever delivery it is of; a failure only if it is of the present one. */
  private static Claimant claimant(ErrandEnd end) {
    Errand errand = end.errand();
    return switch (end) {
      case ErrandEnd.Answered(Errand _, TurnAnswer.Said _) ->
          new Claimant.Carrier(errand.callerId(), errand.calleeId());
      case ErrandEnd.Answered _, ErrandEnd.Refused _, ErrandEnd.Silent _, ErrandEnd.Undelivered _ ->
          new Claimant.Delivery(errand.callerId(), errand.calleeId(), errand.messageId());
    };
  }

  private static Change change(ErrandEnd end) {
    return switch (end) {
      case ErrandEnd.Answered(Errand _, TurnAnswer.Said(String text)) ->
          new Change.Completed(WholeText.of(text), false);
      case ErrandEnd.Answered(Errand _, TurnAnswer.Working _) -> new Change.Started();
      case ErrandEnd.Answered(Errand _, TurnAnswer.GaveUp(String state, String text)) ->
          new Change.Failed("the agent's task is " + state + ": " + text, null);
      case ErrandEnd.Refused(Errand _, String error) -> new Change.Failed(error, null);
      case ErrandEnd.Silent _ -> new Change.Started();
      case ErrandEnd.Undelivered(Errand _, String error) -> new Change.Failed(error, null);
    };
  }

  @Override
  public Optional<Errand> repliedTo(UUID calleeId, UUID callerId, String delegationOrMessageId) {
    String withoutRetry = MessageIds.withoutRetry(delegationOrMessageId);
    return repository
        .inFlight(delegationOrMessageId)
        .or(() ->
            withoutRetry.equals(delegationOrMessageId)
                ? Optional.empty()
                : repository.inFlight(withoutRetry))
        .filter(open -> open.callerId().equals(callerId) && open.calleeId().equals(calleeId))
        .map(ErrandRepository.InFlight::errand);
  }

  @Override
  @Transactional(propagation = Propagation.MANDATORY)
  public void settle(Errand errand, String reply) {
    ledger.grant(
        List.of(
            new Wish(
                errand.delegationId(),
                new Claimant.Carrier(errand.callerId(), errand.calleeId()),
                new Change.Completed(WholeText.of(reply), true))));
  }
}
