package dev.muster.message.send;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.AppendResult;
import dev.muster.message.DelegationMessage;
import dev.muster.message.NewActivity;
import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.Deliveries;
import dev.muster.message.flow.Outgoing;
import dev.muster.message.flow.QueueOptions;
import dev.muster.message.flow.ReplyCorrelation;
import dev.muster.message.flow.ResponseForm;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.Assumed;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.Sender;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.A2aMethod;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Delivers requests to agents (R7.4 to R7.6). A request to a poll agent goes into its feed, one to
 * a push agent through {@link Deliveries}.
 */
@Service
class Proxy {

  /** A request; {@code sink} takes a stream, {@code memory} the bytes of a stored response. */
  record Sent(
      CredentialRecheck recheck,
      Sender sender,
      UUID targetId,
      NormalizedRequest request,
      SendOptions options,
      @Nullable StreamSink sink,
      LongConsumer memory) {

    /** Returns the form of a response that no agent gives. */
    ResponseForm form() {
      return request.responseForm(options.a2aVersion());
    }
  }

  private final Workspaces workspaces;
  private final MessageStore store;
  private final Deliveries deliveries;
  private final ReplyCorrelation replies;
  private final DelegationReplies delegations;
  private final DeliverySettings settings;

  Proxy(
      Workspaces workspaces,
      MessageStore store,
      Deliveries deliveries,
      ReplyCorrelation replies,
      DelegationReplies delegations,
      DeliverySettings settings) {
    this.workspaces = workspaces;
    this.store = store;
    this.deliveries = deliveries;
    this.replies = replies;
    this.delegations = delegations;
    this.settings = settings;
  }

  /**
   * Stores the request and returns the remaining work. The caller runs that work on the request's
   * thread; it may block until the agent responds. The future completes with the response or with
   * an error.
   */
  Supplier<CompletableFuture<ProxyResponse>> begin(Sent sent) {
    Deadline deadline = Deadline.in(sent.options().timeout().orElse(settings.totalBudget()));
    DeliveryTarget target = workspaces.rememberedTarget(sent.targetId(), sent.recheck().caller());
    NewActivity row =
        sent.request().rowFor(target, sent.sender()).sentWith(sent.options().passedOn());
    Optional<DelegationMessage> repliesTo = repliesTo(sent);
    Supplier<CompletableFuture<ProxyResponse>> rest =
        target.deliveryMode() == DeliveryMode.POLL
            ? toFeed(sent, row, new Known(target, false, false), repliesTo, deadline)
            : toAgent(sent, row, target, repliesTo, deadline);
    try {
      correlate(sent, repliesTo);
    } catch (RuntimeException | Error e) {
      // The message is stored, so it is delivered although its sender gets an error.
      Thread.ofVirtual()
          .name("unanswered-delivery")
          .start(() -> {
            var _ = rest.get().thenAccept(ProxyResponse::release);
          });
      throw e;
    }
    return rest;
  }

  private Optional<DelegationMessage> repliesTo(Sent sent) {
    @Nullable UUID own = sent.sender().workspaceId();
    return own == null
        ? Optional.empty()
        : delegations.findByReply(own, sent.targetId(), sent.request());
  }

  private void correlate(Sent sent, Optional<DelegationMessage> repliesTo) {
    @Nullable UUID own = sent.sender().workspaceId();
    if (own != null && sent.request().message() != null) {
      replies.correlate(own, sent.targetId(), sent.request().message(), repliesTo);
    }
  }

  /** Appends the row; a reply to a delegation's message also ends the delegation (R8.7). */
  private AppendResult append(NewActivity row, Optional<DelegationMessage> repliesTo) {
    return repliesTo
        .map(delegation -> delegations.append(row, delegation, said(row)))
        .orElseGet(() -> store.append(row));
  }

  private static String said(NewActivity row) {
    String text = row.content().text();
    return text.isEmpty() ? Objects.requireNonNull(row.bodies().request()).text() : text;
  }

  private Supplier<CompletableFuture<ProxyResponse>> toAgent(
      Sent sent,
      NewActivity row,
      DeliveryTarget target,
      Optional<DelegationMessage> repliesTo,
      Deadline deadline) {
    return deliveries.begin(outgoing(sent, row, repliesTo, deadline), target);
  }

  private Outgoing outgoing(
      Sent sent, NewActivity row, Optional<DelegationMessage> repliesTo, Deadline deadline) {
    QueueOptions options = QueueOptions.of(sent.request().body(), settings);
    RawJson body = Objects.requireNonNull(row.bodies().request());
    return new Outgoing(
        sent.sender(),
        sent.recheck(),
        row,
        one -> append(one, repliesTo),
        repliesTo.isPresent() ? Kind.RESULT : Kind.MESSAGE,
        sent.request().message() != null,
        body.text().getBytes(StandardCharsets.UTF_8),
        sent.form(),
        deadline,
        sent.sink(),
        options.priority(),
        options.life(),
        sent.memory(),
        () -> lookAgain(sent),
        (now, isInFeed) -> toFeed(sent, row, new Known(now, true, isInFeed), repliesTo, deadline));
  }

  private DeliveryTarget lookAgain(Sent sent) {
    return workspaces.requireTarget(sent.targetId(), sent.recheck().caller());
  }

  private Supplier<CompletableFuture<ProxyResponse>> toFeed(
      Sent sent,
      NewActivity row,
      Known known,
      Optional<DelegationMessage> repliesTo,
      Deadline deadline) {
    Optional<A2aMethod> otherMethod = sent.request().a2aMethod().filter(one -> !one.sendsMessage());
    if (otherMethod.isPresent()) {
      DeliveryTarget target = known.isFresh() ? known.target() : lookAgain(sent);
      return target.deliveryMode() == DeliveryMode.POLL
          ? () -> CompletableFuture.completedFuture(refusal(sent, otherMethod.get()))
          : toAgent(sent, row, target, repliesTo, deadline);
    }
    Optional<Supplier<CompletableFuture<ProxyResponse>>> rest =
        sent.options().waitLimit().isZero()
            ? storeInFeed(
                sent,
                row,
                known,
                repliesTo,
                deadline,
                stored -> () -> CompletableFuture.completedFuture(stored.reply()))
            : storeAndWait(sent, row, known, repliesTo, deadline);
    return rest.orElseGet(() -> toAgent(sent, row, lookAgain(sent), repliesTo, deadline));
  }

  /** Refuses a method that asks for an answer at once, since a poll agent gives none. */
  private static ProxyResponse refusal(Sent sent, A2aMethod method) {
    return method.namesTask()
        ? sent.form().noSuchTask()
        : sent.form().noSuchMethod(sent.request().method());
  }

  private Optional<Supplier<CompletableFuture<ProxyResponse>>> storeAndWait(
      Sent sent,
      NewActivity row,
      Known known,
      Optional<DelegationMessage> repliesTo,
      Deadline deadline) {
    try (LongPollRegistry.Slot slot = replies.takeSlot(sent.sender())) {
      return storeInFeed(
          sent,
          row,
          known,
          repliesTo,
          deadline,
          stored -> {
            CompletableFuture<ProxyResponse> answer =
                replies.await(
                    new ReplyCorrelation.Wait(
                        sent.sender(),
                        sent.recheck(),
                        stored.key(),
                        sent.form(),
                        sent.options().waitLimit(),
                        stored.reply()),
                    slot);
            return () -> answer;
          });
    }
  }

  /**
   * What is known before the message is stored.
   *
   * @param isFresh whether the target was read for this request
   * @param isInFeed whether the message is in the feed already, and no delivery has answered it
   */
  private record Known(DeliveryTarget target, boolean isFresh, boolean isInFeed) {}

  private record InFeed(ActivityKey key, ProxyResponse reply) {}

  /**
   * Stores the message in the feed; returns empty when the agent no longer polls. {@code then} says
   * what remains to be done for a message in the feed.
   */
  private Optional<Supplier<CompletableFuture<ProxyResponse>>> storeInFeed(
      Sent sent,
      NewActivity row,
      Known known,
      Optional<DelegationMessage> repliesTo,
      Deadline deadline,
      Function<InFeed, Supplier<CompletableFuture<ProxyResponse>>> then) {
    DeliveryTarget target = known.target();
    boolean isFresh = known.isFresh();
    while (true) {
      MessageAdmission admission =
          MessageAdmission.toFeed(new Assumed(target.version(), target.treeVersion()));
      switch (append(row.with(admission), repliesTo)) {
        case AppendResult.Stored stored -> {
          return Optional.of(then.apply(inFeed(sent, stored.id(), stored.seq())));
        }
        case AppendResult.Repeated(UUID id, long seq) -> {
          InFeed first = inFeed(sent, id, seq);
          return Optional.of(
              known.isInFeed()
                  ? then.apply(first)
                  : deliveries.repeat(
                      outgoing(sent, row, repliesTo, deadline),
                      isFresh ? target : lookAgain(sent),
                      first.key()));
        }
        case AppendResult.OtherContent() -> throw Deliveries.reused();
        case AppendResult.FeedFull _ -> throw full(target);
        case AppendResult.Outdated() -> {
          target = lookAgain(sent);
          isFresh = true;
        }
        case AppendResult.QueueFull(), AppendResult.NotFree() ->
            throw new IllegalStateException("a message for a feed does not wait in a queue");
      }
      if (target.deliveryMode() != DeliveryMode.POLL) {
        return Optional.empty();
      }
    }
  }

  private static InFeed inFeed(Sent sent, UUID id, long seq) {
    return new InFeed(
        new ActivityKey(sent.targetId(), seq), sent.form().toBePolled(sent.request().method(), id));
  }

  private static ProblemException full(DeliveryTarget target) {
    return new ProblemException(
        ErrorCode.QUEUE_FULL,
        "the feed of the workspace "
            + target.id()
            + " is full of rows that its agent has not read; send again when it has read some");
  }
}
