package dev.muster.a2a;

import dev.muster.activity.Feeds;
import dev.muster.activity.Messages;
import dev.muster.activity.Messages.TurnState;
import dev.muster.activity.Result;
import dev.muster.activity.StoredMessage;
import dev.muster.activity.TurnEnd;
import dev.muster.activity.TurnTopic;
import dev.muster.identity.Standing;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answers of agents that poll (R7.11): a message of theirs that names the one it answers ends
 * that one's turn.
 */
@Component
class PolledAnswers {

  private final Messages messages;
  private final Feeds feeds;
  private final Workspaces workspaces;
  private final LongPolls polls;

  PolledAnswers(Messages messages, Feeds feeds, Workspaces workspaces, LongPolls polls) {
    this.messages = messages;
    this.feeds = feeds;
    this.workspaces = workspaces;
    this.polls = polls;
  }

  /**
   * Puts a message on the row of the one that it answers: that which its recipient sent to {@code
   * answering}, with the id in {@code metadata.reply_to}, or else for the errand. The first answer
   * counts; what answers nothing that is known is a message like any other.
   */
  void correlate(UUID answering, UUID recipient, NormalRequest reply, Optional<Errand> errand) {
    @Nullable ObjectNode message = reply.message();
    if (message == null) {
      return;
    }
    JsonNode replyTo = message.path("metadata").path("reply_to");
    Optional<String> asked =
        replyTo.isString() && !replyTo.stringValue().isEmpty()
            ? Optional.of(replyTo.stringValue())
            : errand.map(Errand::messageId);
    asked
        .flatMap(id -> messages.find(answering, recipient, MessageNames.key(id)))
        .ifPresent(row -> feeds.end(end(row, message)));
  }

  private static TurnEnd end(StoredMessage asked, ObjectNode message) {
    return new TurnEnd(
        asked.workspaceId(),
        asked.activityId(),
        response(asked, message),
        new Result("ok", null, asked.age().toMillis()),
        null);
  }

  /** As an agent that is called would have answered the request. */
  private static RawJson response(StoredMessage asked, ObjectNode message) {
    JsonNode request = LosslessJson.parse(asked.request().text().getBytes(StandardCharsets.UTF_8));
    ObjectNode answer = Members.copy(message);
    answer.put("role", "agent");
    answer.put("kind", "message");
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    response.set("id", request.path("id").isMissingNode() ? null : request.path("id"));
    response.set("result", answer);
    return LosslessJson.write(response);
  }

  /** Refuses a sender that has too many waits, before anything is stored for it (R6.7a). */
  LongPolls.Slot takeSlot(Sender sender) {
    return polls.takeSlot(sender.owner());
  }

  /**
   * A sender's wait for the answer to its message.
   *
   * @param standing the sender's: it ends the wait with 401 once it is not good any more (R1.6)
   * @param targetId whose removal ends the wait with 410, unless there is an answer already
   * @param otherwise the reply when there is no answer in time
   */
  record Wait(
      Sender sender,
      Standing standing,
      UUID targetId,
      UUID activityId,
      Duration atMost,
      Reply otherwise) {}

  /** {@code slot} is the wait's, when one was taken for it. */
  CompletableFuture<Reply> await(Wait wait, LongPolls.@Nullable Slot slot) {
    LongPoll<Reply> poll =
        new LongPoll<>(
            wait.sender().owner(),
            new TurnTopic(wait.targetId()),
            wait.atMost(),
            () -> look(wait),
            () -> wait.standing().now() != Standing.Verdict.REVOKED,
            wait.otherwise());
    return slot == null ? polls.await(poll) : polls.await(poll, slot);
  }

  private Seen<Reply> look(Wait wait) {
    wait.standing().requireGood();
    TurnState turn = messages.turn(wait.activityId());
    Optional<RawJson> answer = turn.answer();
    if (answer.isPresent()) {
      return new Seen.Answer<>(Reply.json(200, answer.get()));
    }
    workspaces.requirePresent(wait.targetId());
    return new Seen.Nothing<>(turn.version());
  }
}
