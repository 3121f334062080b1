package dev.muster.message.flow;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.call.ProxyResponses;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.OutcomeRepository.Open;
import dev.muster.message.store.OutcomeRepository.Standing;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.work.LongPoll;
import dev.muster.platform.work.LongPoll.PollResult;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.workspace.Workspaces;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The waits of senders whose message is being delivered already (R7.3), whichever replica does it.
 */
@Component
class OutcomeWaits {

  private final LongPollRegistry polls;
  private final OutcomeRepository outcomes;
  private final DeliverySweep sweep;
  private final ProxyResponses replies;
  private final Workspaces workspaces;

  OutcomeWaits(
      LongPollRegistry polls,
      OutcomeRepository outcomes,
      DeliverySweep sweep,
      ProxyResponses replies,
      Workspaces workspaces) {
    this.polls = polls;
    this.outcomes = outcomes;
    this.sweep = sweep;
    this.replies = replies;
    this.workspaces = workspaces;
  }

  /**
   * Waits until the delivery of the message has ended, at most until the sender's deadline. The
   * future is empty when the outcome decides what happens next, and has the response otherwise.
   */
  CompletableFuture<Optional<ProxyResponse>> await(Message message, ActivityKey key) {
    ProxyResponse late = replies.timedOut("another send of this message is still under way");
    return polls.await(
        new LongPoll<>(
            message.sender().owner(),
            key,
            message.deadline().left(),
            () -> look(message, key),
            () -> mayKeepWaiting(message, key),
            Optional.of(late)));
  }

  /**
   * Whether the long poll can go on until the message changes. This requires a valid credential and
   * an open delivery that no dead replica holds.
   */
  private boolean mayKeepWaiting(Message message, ActivityKey key) {
    return message.recheck().check() != CredentialRecheck.Result.REVOKED
        && outcomes
            .find(key)
            .map(Standing::open)
            .map(open -> open.queued() || open.ownerLives())
            .orElse(false);
  }

  private PollResult<Optional<ProxyResponse>> look(Message message, ActivityKey key) {
    message.recheck().requireValid();
    Optional<Standing> found = outcomes.find(key);
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    @Nullable Open open = found.get().open();
    if (open == null) {
      return new PollResult.Answer<>(Optional.empty());
    }
    if (open.queued()) {
      return known(message.form().queued(open.rowId(), open.depth()));
    }
    if (open.ownerLives()) {
      workspaces.requirePresent(key.workspaceId());
    } else {
      boolean _ = sweep.endOfDeadReplica(key, Objects.requireNonNull(open.claim()));
    }
    return new PollResult.Nothing<>(0);
  }

  private static PollResult<Optional<ProxyResponse>> known(ProxyResponse response) {
    return new PollResult.Answer<>(Optional.of(response));
  }
}
