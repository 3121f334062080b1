package dev.muster.a2a;

import dev.muster.activity.Feeds;
import dev.muster.activity.Messages;
import dev.muster.activity.Messages.TurnState;
import dev.muster.activity.Result;
import dev.muster.activity.StoredMessage;
import dev.muster.activity.TurnEnd;
import dev.muster.activity.TurnTopic;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import dev.muster.platform.problem.ProblemException;
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
  private final LongPolls polls;

  PolledAnswers(Messages messages, Feeds feeds, LongPolls polls) {
    this.messages = messages;
    this.feeds = feeds;
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

  /** Refuses a sender that could not wait, before anything is stored for it. */
  void requireRoomFor(Sender sender) {
    polls.requireRoomFor(sender.owner());
  }

  /** The agent's answer, or {@code otherwise} when there is none in time. */
  CompletableFuture<Reply> await(
      Sender sender, UUID workspaceId, UUID activityId, Duration atMost, Reply otherwise) {
    try {
      return polls.await(
          new LongPoll<>(
              sender.owner(),
              new TurnTopic(workspaceId),
              atMost,
              () -> look(activityId),
              () -> true,
              otherwise));
    } catch (ProblemException noRoom) {
      // the message is stored: a refusal would have it sent again, perhaps under another id
      return CompletableFuture.completedFuture(otherwise);
    }
  }

  private Seen<Reply> look(UUID activityId) {
    TurnState turn = messages.turn(activityId);
    Optional<RawJson> answer = turn.answer();
    return answer.isPresent()
        ? new Seen.Answer<>(Reply.json(200, answer.get()))
        : new Seen.Nothing<>(turn.version());
  }
}
