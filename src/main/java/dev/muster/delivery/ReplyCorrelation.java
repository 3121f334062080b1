package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.Feeds;
import dev.muster.activity.MessageIdentity;
import dev.muster.activity.Messages;
import dev.muster.activity.StoredMessage;
import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.platform.longpoll.PollResult;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answers that agents give by messages of their own (R7.11): one that names the message it
 * answers is that one's answer, and its sender may wait for it.
 */
@Component
public class ReplyCorrelation {

  private final Messages messages;
  private final OutcomeRepository outcomes;
  private final LongPollRegistry polls;
  private final Feeds feeds;
  private final Workspaces workspaces;

  ReplyCorrelation(
      Messages messages,
      OutcomeRepository outcomes,
      LongPollRegistry polls,
      Feeds feeds,
      Workspaces workspaces) {
    this.messages = messages;
    this.outcomes = outcomes;
    this.polls = polls;
    this.feeds = feeds;
    this.workspaces = workspaces;
  }

  /**
   * Puts {@code message} on the row of the one that it answers: that which {@code recipient} sent
   * to {@code answering}, with the id in {@code metadata.reply_to}, or else for the delegation. The
   * first answer counts; what answers nothing that is known is a message like any other.
   */
  public void correlate(
      UUID answering, UUID recipient, ObjectNode message, Optional<DelegationMessage> delegation) {
    JsonNode replyTo = message.path("metadata").path("reply_to");
    Optional<String> asked =
        replyTo.isString() && !replyTo.stringValue().isEmpty()
            ? Optional.of(replyTo.stringValue())
            : delegation.map(DelegationMessage::messageId);
    asked
        .flatMap(id -> messages.find(answering, recipient, MessageIdentity.keyOf(id)))
        .ifPresent(row -> answer(row, message));
  }

  private void answer(StoredMessage asked, ObjectNode message) {
    if (outcomes.answer(asked.key(), response(asked, message), asked.age())) {
      feeds.notifyChanges(Set.of(asked.key().workspaceId()));
    }
  }

  /** As an agent that is called would have answered the request. */
  private static RawJson response(StoredMessage asked, ObjectNode message) {
    JsonNode request = LosslessJson.parse(asked.request().text().getBytes(StandardCharsets.UTF_8));
    ObjectNode answer = JsonMembers.copy(message);
    answer.put("role", "agent");
    answer.put("kind", "message");
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    response.set("id", request.path("id").isMissingNode() ? null : request.path("id"));
    response.set("result", answer);
    return LosslessJson.write(response);
  }

  /** Refuses a sender that has too many waits, before anything is stored for it (R6.7a). */
  public LongPollRegistry.Slot takeSlot(Sender sender) {
    return polls.takeSlot(sender.owner());
  }

  /**
   * A sender's wait for the answer to its message.
   *
   * @param standing the sender's: it ends the wait with 401 once it is not good any more (R1.6)
   * @param key of the message, whose target's removal ends the wait with 410, unless there is an
   *     answer already
   * @param otherwise the reply when there is no answer in time
   */
  public record Wait(
      Sender sender,
      CredentialRecheck standing,
      ActivityKey key,
      Duration atMost,
      ProxyResponse otherwise) {}

  /** {@code slot} is the wait's. */
  public CompletableFuture<ProxyResponse> await(Wait wait, LongPollRegistry.Slot slot) {
    return polls.await(
        new LongPoll<>(
            wait.sender().owner(),
            wait.key(),
            wait.atMost(),
            () -> look(wait),
            () -> wait.standing().check() != CredentialRecheck.Result.REVOKED,
            wait.otherwise()),
        slot);
  }

  private PollResult<ProxyResponse> look(Wait wait) {
    wait.standing().requireValid();
    Optional<RawJson> answer = outcomes.response(wait.key());
    if (answer.isPresent()) {
      return new PollResult.Answer<>(ProxyResponse.json(200, answer.get()));
    }
    workspaces.requirePresent(wait.key().workspaceId());
    return new PollResult.Nothing<>(0);
  }
}
