package dev.muster.a2a;

import dev.muster.activity.Ended;
import dev.muster.activity.Feeds;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.problem.Outage;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.AnswerBudget;
import dev.muster.protocol.client.AnswerSpace;
import dev.muster.protocol.client.StreamSink;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.stereotype.Service;

/**
 * Runs the turns of this replica: each on a thread of its own, to its end, whether or not its
 * client still waits (R7.8); and its end is stored before anybody hears of it.
 */
@Service
class Turns {

  private static final LimitedLog failed = new LimitedLog(Turns.class);
  private static final LimitedLog unstored = new LimitedLog(Turns.class);

  private static final Duration BETWEEN_TRIES_TO_STORE = Duration.ofSeconds(1);

  private final A2aClient client;
  private final TurnOutcomes outcomes;
  private final Feeds feeds;
  private final TurnLeases leases;
  private final AnswerBudget answers;
  private final A2aSettings settings;

  Turns(
      A2aClient client,
      TurnOutcomes outcomes,
      Feeds feeds,
      TurnLeases leases,
      AnswerBudget answers,
      A2aSettings settings) {
    this.client = client;
    this.answers = answers;
    this.outcomes = outcomes;
    this.feeds = feeds;
    this.leases = leases;
    this.settings = settings;
  }

  /**
   * Delivers the message of this row, which the claim has the lease for; done when its end is
   * stored, and without a reply when somebody else has ended it, or is about to.
   *
   * @param sink takes the answer if it is a stream
   */
  CompletableFuture<Optional<Reply>> start(
      Delivery delivery, UUID activityId, Claim claim, @Nullable StreamSink sink) {
    leases.hold(activityId, claim.owner());
    CompletableFuture<Optional<Reply>> reply = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("turn-" + activityId)
        .start(() -> run(new Turn(delivery, activityId, claim, reply), sink));
    return reply;
  }

  private record Turn(
      Delivery delivery, UUID activityId, Claim claim, CompletableFuture<Optional<Reply>> reply) {}

  /** The room of an answer goes with the reply: it is needed until that is written. */
  private void run(Turn turn, @Nullable StreamSink sink) {
    AnswerSpace space = turn.delivery().openSpace(answers);
    boolean handedOn = false;
    try {
      A2aResult result = send(turn.delivery(), space, sink);
      handedOn = store(turn, space, outcomes.of(result, turn.claim().wasDelivered()));
    } catch (RuntimeException | Error e) {
      // the lease lapses, and the message is uncertain then
      failed.log(Level.ERROR, "the turn of {} failed", turn.activityId(), e);
      turn.reply().completeExceptionally(e);
    } finally {
      leases.release(turn.activityId(), turn.claim().owner());
      if (!handedOn) {
        space.close();
      }
    }
  }

  private A2aResult send(Delivery delivery, AnswerSpace space, @Nullable StreamSink sink) {
    var request = delivery.request(settings.readTimeout(), space);
    return sink == null ? client.send(request) : client.send(request, sink);
  }

  /**
   * As long as nobody else may deliver the message: what an agent answered is not to be lost.
   * Whether somebody has the reply now.
   */
  private boolean store(Turn turn, AnswerSpace space, TurnOutcome outcome) {
    TurnEnd end =
        new TurnEnd(
            turn.delivery().target().id(),
            turn.activityId(),
            outcome.response(),
            outcome.result(),
            outcome.ending(turn.claim().owner(), null));
    do {
      try {
        Ended ended = feeds.end(end);
        Reply reply = outcome.reply().in(space);
        return turn.reply().complete(ended == Ended.STORED ? Optional.of(reply) : Optional.empty())
            && ended == Ended.STORED;
      } catch (RuntimeException e) {
        turn.reply().completeExceptionally(e);
        if (!(e instanceof ProblemException || Outage.is(e))) {
          throw e;
        }
        LockSupport.parkNanos(BETWEEN_TRIES_TO_STORE.toNanos());
      }
    } while (leases.isHeld(turn.activityId(), turn.claim().owner()));
    unstored.log(
        Level.WARN,
        "the end of the turn {} could not be stored: it is uncertain",
        turn.activityId());
    return false;
  }
}
