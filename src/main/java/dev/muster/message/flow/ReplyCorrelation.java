package dev.muster.message.flow;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.DelegationMessage;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.FeedNotifier;
import dev.muster.message.store.MessageIdentity;
import dev.muster.message.store.Messages;
import dev.muster.message.store.Messages.StoredMessage;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.Sender;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.work.LongPoll;
import dev.muster.platform.work.LongPoll.PollResult;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.protocol.A2aTranslation;
import dev.muster.protocol.A2aVersion;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Correlates the messages and notifications of agents with the messages that they answer (R7.11).
 * One that names an earlier message is stored as its answer; the earlier sender may wait for it.
 */
@Component
public class ReplyCorrelation {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Messages messages;
  private final OutcomeRepository outcomes;
  private final LongPollRegistry polls;
  private final FeedNotifier notifier;
  private final Workspaces workspaces;

  ReplyCorrelation(
      Messages messages,
      OutcomeRepository outcomes,
      LongPollRegistry polls,
      FeedNotifier notifier,
      Workspaces workspaces) {
    this.messages = messages;
    this.outcomes = outcomes;
    this.polls = polls;
    this.notifier = notifier;
    this.workspaces = workspaces;
  }

  /**
   * Stores a message as the answer to the message that it names, which went the other way. The id
   * of that is in {@code metadata.reply_to}; without it, it is the message of the delegation. Only
   * the first answer is stored. A message that names no known message changes nothing here.
   */
  void correlate(Message answer) {
    @Nullable UUID answering = answer.sender().workspaceId();
    @Nullable ObjectNode message = answer.message();
    if (answering == null || message == null) {
      return;
    }
    JsonNode replyTo = message.path("metadata").path("reply_to");
    Optional<String> asked =
        replyTo.isString() && !replyTo.stringValue().isEmpty()
            ? Optional.of(replyTo.stringValue())
            : answer.repliesTo().map(DelegationMessage::messageId);
    asked
        .flatMap(id -> messages.find(answering, answer.targetId(), MessageIdentity.keyOf(id)))
        .ifPresent(row -> answer(row, message));
  }

  private void answer(StoredMessage asked, ObjectNode message) {
    if (outcomes.answer(asked.key(), response(asked, message), asked.age())) {
      notifier.feedsChanged(Set.of(asked.key().workspaceId()));
    }
  }

  /**
   * Stores a notification as the answer to the canvas message that it names. The row of that
   * message does not show it, because the notification has a row of its own, and a canvas would
   * show both.
   */
  public void answered(UUID workspaceId, String messageId, ObjectNode answer) {
    messages
        .find(workspaceId, null, MessageIdentity.keyOf(messageId))
        .filter(asked -> asked.systemText() == null)
        .filter(
            asked -> outcomes.answerElsewhere(asked.key(), response(asked, answer), asked.age()))
        .ifPresent(asked -> notifier.feedsChanged(Set.of(workspaceId)));
  }

  /** Builds the JSON-RPC response that a push agent would have returned, in the asked version. */
  private static RawJson response(StoredMessage asked, ObjectNode message) {
    JsonNode request = LosslessJson.parse(asked.request().text().getBytes(StandardCharsets.UTF_8));
    JsonNode id = request.path("id");
    A2aVersion version =
        A2aVersion.ofRequest(asked.method(), asked.headers().get(A2aVersion.HEADER));
    ObjectNode answer = A2aTranslation.messageOfAgent(message, version);
    return LosslessJson.write(
        JsonRpc.result(
            id.isMissingNode() ? NODES.nullNode() : id,
            version == A2aVersion.V1_0 ? NODES.objectNode().set("message", answer) : answer));
  }

  /**
   * Takes a long poll slot, before the message is stored (R6.7a). Refuses a sender that has too
   * many long polls.
   */
  LongPollRegistry.Slot takeSlot(Sender sender) {
    return polls.takeSlot(sender.owner());
  }

  /**
   * The long poll of a sender for the answer to its message.
   *
   * @param recheck rechecks the sender's credential; a revoked one ends the long poll with 401
   *     (R1.6)
   * @param key the row of the message. Removal of its target ends the long poll with 410, unless
   *     there is an answer.
   * @param form the form in which the sender understands the answer
   * @param atMost the longest time to wait
   * @param otherwise the response when there is no answer in time
   */
  record Wait(
      Sender sender,
      CredentialRecheck recheck,
      ActivityKey key,
      ResponseForm form,
      Duration atMost,
      ProxyResponse otherwise) {}

  /** Waits for the answer; {@code slot} is the one that the long poll occupies. */
  CompletableFuture<ProxyResponse> await(Wait wait, LongPollRegistry.Slot slot) {
    return polls.await(
        new LongPoll<>(
            wait.sender().owner(),
            wait.key(),
            wait.atMost(),
            () -> look(wait),
            () -> wait.recheck().check() != CredentialRecheck.Result.REVOKED,
            wait.otherwise()),
        slot);
  }

  private PollResult<ProxyResponse> look(Wait wait) {
    wait.recheck().requireValid();
    Optional<RawJson> answer = outcomes.answer(wait.key());
    if (answer.isPresent()) {
      return new PollResult.Answer<>(wait.form().answer(answer.get()));
    }
    workspaces.requirePresent(wait.key().workspaceId());
    return new PollResult.Nothing<>(0);
  }
}
