package dev.muster.message.flow;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.call.DeliverySettings;
import dev.muster.message.call.ProxyResponses;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.OutcomeRepository.Open;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPoll.PollResult;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Workspaces;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Responds to duplicate messages (R7.3), whichever replica delivers the first one. */
@Component
class DuplicateMessages {

  private final LongPollRegistry polls;
  private final OutcomeRepository outcomes;
  private final DeliverySweep sweep;
  private final ProxyResponses replies;
  private final Workspaces workspaces;
  private final DeliverySettings settings;

  DuplicateMessages(
      LongPollRegistry polls,
      OutcomeRepository outcomes,
      DeliverySweep sweep,
      ProxyResponses replies,
      Workspaces workspaces,
      DeliverySettings settings) {
    this.polls = polls;
    this.outcomes = outcomes;
    this.sweep = sweep;
    this.replies = replies;
    this.workspaces = workspaces;
    this.settings = settings;
  }

  /**
   * Responds to a duplicate message. Waits until the deadline while the first one is being
   * delivered. Returns empty for a message that is not delivered, since its agent polls.
   *
   * @param key the row of the first message
   * @param again delivers the message again; returns empty when another request does
   */
  Optional<CompletableFuture<ProxyResponse>> reply(
      Outgoing sent, ActivityKey key, Supplier<Optional<CompletableFuture<ProxyResponse>>> again) {
    return outcomes
        .find(key)
        .filter(found ->
            found.open() != null || (isEnd(found.outcome()) && !isForThoseWhoWait(sent, found)))
        .map(found ->
            found.open() == null
                ? replyOrAgain(sent, key, ofOutcome(sent, key, found), again)
                : wait(sent, key, again));
  }

  /** Whether it is the message of a poll agent, which is no response to a send (R7.5, R7.11). */
  private static boolean isForThoseWhoWait(Outgoing sent, OutcomeRepository.Standing found) {
    return found.isAnsweredByMessage()
        && sent.lookAgain().get().deliveryMode() == DeliveryMode.POLL;
  }

  private static boolean isEnd(@Nullable OutcomeState state) {
    return state != null && state != OutcomeState.IN_FEED;
  }

  private CompletableFuture<ProxyResponse> wait(
      Outgoing sent, ActivityKey key, Supplier<Optional<CompletableFuture<ProxyResponse>>> again) {
    ProxyResponse late = replies.timedOut("another send of this message is still under way");
    LongPoll<Optional<ProxyResponse>> poll =
        new LongPoll<>(
            sent.sender().owner(),
            key,
            sent.deadline().left(),
            () -> look(sent, key),
            () -> mayKeepWaiting(sent, key),
            Optional.of(late));
    return polls.await(poll).thenCompose(found -> replyOrAgain(sent, key, found, again));
  }

  /** Returns the reply, or delivers the message again if there is none. */
  private CompletableFuture<ProxyResponse> replyOrAgain(
      Outgoing sent,
      ActivityKey key,
      Optional<ProxyResponse> reply,
      Supplier<Optional<CompletableFuture<ProxyResponse>>> again) {
    return reply
        .map(CompletableFuture::completedFuture)
        .or(again)
        .orElseGet(() -> wait(sent, key, again));
  }

  /**
   * Whether the long poll can go on until the message changes. This requires a valid credential and
   * an open delivery that no dead replica holds.
   */
  private boolean mayKeepWaiting(Outgoing sent, ActivityKey key) {
    return sent.recheck().check() != CredentialRecheck.Result.REVOKED
        && outcomes
            .find(key)
            .map(OutcomeRepository.Standing::open)
            .map(open -> open.queued() || open.ownerLives())
            .orElse(false);
  }

  private PollResult<Optional<ProxyResponse>> look(Outgoing sent, ActivityKey key) {
    sent.recheck().requireValid();
    Optional<OutcomeRepository.Standing> found = outcomes.find(key);
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    @Nullable Open open = found.get().open();
    if (open == null) {
      return new PollResult.Answer<>(ofOutcome(sent, key, found.get()));
    }
    if (open.queued()) {
      return known(sent.form().queued(open.rowId(), open.depth()));
    }
    if (open.ownerLives()) {
      workspaces.requirePresent(key.workspaceId());
    } else {
      boolean _ = sweep.endOfDeadReplica(key, Objects.requireNonNull(open.claim()));
    }
    return new PollResult.Nothing<>(0);
  }

  /** Returns the stored response, or empty when the message may be delivered again. */
  private Optional<ProxyResponse> ofOutcome(
      Outgoing sent, ActivityKey key, OutcomeRepository.Standing standing) {
    return switch (Objects.requireNonNullElse(standing.outcome(), OutcomeState.REFUSED)) {
      case REFUSED -> Optional.empty();
      case UNCERTAIN -> settings.retryAmbiguous() ? Optional.empty() : stored(sent, key, standing);
      case ANSWERED -> stored(sent, key, standing);
      case IN_FEED -> Optional.of(sent.form().toBePolled(sent.method(), standing.rowId()));
    };
  }

  private Optional<ProxyResponse> stored(
      Outgoing sent, ActivityKey key, OutcomeRepository.Standing standing) {
    sent.memory().accept(standing.replyBytes());
    return Optional.of(sent.form().of(outcomes.reply(key)));
  }

  private static PollResult<Optional<ProxyResponse>> known(ProxyResponse reply) {
    return new PollResult.Answer<>(Optional.of(reply));
  }
}
