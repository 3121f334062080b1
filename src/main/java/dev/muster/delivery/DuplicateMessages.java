package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.delivery.OutcomeRepository.Open;
import dev.muster.identity.Standing;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.Seen;
import dev.muster.protocol.client.Deadline;
import dev.muster.workspace.Workspaces;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What becomes of a message whose id is known already (R7.3), on whichever replica. */
@Component
class DuplicateMessages {

  /**
   * A message that comes again.
   *
   * @param sender who sends it, until the deadline, or until {@code standing} is not good any more
   * @param memory is told the bytes of a stored answer before that is read, and may refuse them
   */
  record Duplicate(
      Sender sender, Standing standing, ActivityKey key, Deadline deadline, LongConsumer memory) {}

  /** What a look has come to: an answer, or (null) that it may be delivered again. */
  private record Finding(@Nullable Reply reply) {}

  private static final Seen<Finding> MAY_BE_DELIVERED_AGAIN = new Seen.Answer<>(new Finding(null));

  private final OutcomeWaiters waiters;
  private final OutcomeRepository outcomes;
  private final DeliverySweep sweep;
  private final Replies replies;
  private final Workspaces workspaces;
  private final DeliverySettings settings;

  DuplicateMessages(
      OutcomeWaiters waiters,
      OutcomeRepository outcomes,
      DeliverySweep sweep,
      Replies replies,
      Workspaces workspaces,
      DeliverySettings settings) {
    this.waiters = waiters;
    this.outcomes = outcomes;
    this.sweep = sweep;
    this.replies = replies;
    this.workspaces = workspaces;
    this.settings = settings;
  }

  /**
   * Waits while somebody delivers the message, until the deadline; empty for a row that nobody ever
   * delivered, since its agent polls.
   *
   * @param again delivers a message that may be delivered again, unless somebody else is quicker
   */
  Optional<CompletableFuture<Reply>> reply(
      Duplicate duplicate, Supplier<Optional<CompletableFuture<Reply>>> again) {
    boolean isDelivered =
        outcomes
            .find(duplicate.key())
            .filter(found -> found.open() != null || isEnd(found.outcome()))
            .isPresent();
    return isDelivered ? Optional.of(wait(duplicate, again)) : Optional.empty();
  }

  private static boolean isEnd(@Nullable OutcomeState state) {
    return state != null && state != OutcomeState.IN_FEED;
  }

  private CompletableFuture<Reply> wait(
      Duplicate duplicate, Supplier<Optional<CompletableFuture<Reply>>> again) {
    Finding late = new Finding(replies.timedOut("another send of this message is still under way"));
    LongPoll<Finding> poll =
        new LongPoll<>(
            duplicate.sender().owner(),
            new OutcomeWaiters.OutcomeOf(duplicate.key()),
            duplicate.deadline().left(),
            () -> look(duplicate),
            () -> isSettledFor(duplicate),
            late);
    return waiters
        .await(poll, null)
        .thenCompose(finding ->
            finding.reply() != null
                ? CompletableFuture.completedFuture(finding.reply())
                : again.get().orElseGet(() -> wait(duplicate, again)));
  }

  /**
   * Whether nothing but a change of the message has to be looked for: nobody who is gone holds it.
   */
  private boolean isSettledFor(Duplicate duplicate) {
    return duplicate.standing().now() != Standing.Verdict.REVOKED
        && outcomes
            .find(duplicate.key())
            .map(OutcomeRepository.Standing::open)
            .map(open -> open.queued() || open.ownerLives())
            .orElse(false);
  }

  private Seen<Finding> look(Duplicate duplicate) {
    duplicate.standing().requireGood();
    Optional<OutcomeRepository.Standing> found = outcomes.find(duplicate.key());
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    @Nullable Open open = found.get().open();
    if (open == null) {
      return ofOutcome(duplicate, found.get());
    }
    if (open.queued()) {
      return known(Replies.queued(open.rowId(), open.depth()));
    }
    if (open.ownerLives()) {
      workspaces.requirePresent(duplicate.key().workspaceId());
    } else {
      boolean _ = sweep.endOfTheDead(duplicate.key(), Objects.requireNonNull(open.claim()));
    }
    return new Seen.Nothing<>(0);
  }

  private Seen<Finding> ofOutcome(Duplicate duplicate, OutcomeRepository.Standing standing) {
    return switch (Objects.requireNonNullElse(standing.outcome(), OutcomeState.REFUSED)) {
      case REFUSED -> MAY_BE_DELIVERED_AGAIN;
      case UNCERTAIN ->
          settings.retriesAmbiguous() ? MAY_BE_DELIVERED_AGAIN : stored(duplicate, standing);
      case ANSWERED, IN_FEED -> stored(duplicate, standing);
    };
  }

  private Seen<Finding> stored(Duplicate duplicate, OutcomeRepository.Standing standing) {
    duplicate.memory().accept(standing.replyBytes());
    return known(outcomes.reply(duplicate.key()));
  }

  private static Seen<Finding> known(Reply reply) {
    return new Seen.Answer<>(new Finding(reply));
  }
}
