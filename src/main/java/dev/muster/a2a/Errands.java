package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.Queueing;
import dev.muster.a2a.queue.EndState;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.QueueKind;
import dev.muster.a2a.queue.QueueSettings;
import dev.muster.activity.Appended;
import dev.muster.activity.Feeds;
import dev.muster.activity.Messages;
import dev.muster.activity.NewActivity;
import dev.muster.platform.json.LosslessJson;
import dev.muster.protocol.MessageContent;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Brings messages to agents for the sake of delegations: durably, each once, and in the transaction
 * of the ledger. How they end is told to the {@link ErrandOwner}.
 */
@Service
public class Errands {

  /** Delegations are neither more nor less urgent than messages; their results are awaited. */
  private static final int PRIORITY = 50;

  private static final int PRIORITY_OF_RESULTS = 100;

  private final Feeds feeds;
  private final Messages messages;
  private final MessageQueue queue;
  private final QueueSettings queueSettings;

  Errands(Feeds feeds, Messages messages, MessageQueue queue, QueueSettings queueSettings) {
    this.feeds = feeds;
    this.messages = messages;
    this.queue = queue;
    this.queueSettings = queueSettings;
  }

  /** What became of a message that was to be handed over. */
  public enum Handed {
    /** It is in the feed of an agent that polls, or in the queue of one that is called. */
    DONE,
    /** Too many messages wait for the agent, or too many rows are unread: try again later. */
    NO_ROOM,
    /** Its id names another message of this sender. */
    ID_TAKEN
  }

  /** In the caller's transaction; the message waits in the queue for so long at most. */
  @Transactional(propagation = Propagation.MANDATORY)
  public Handed hand(Errand errand, Target callee, String task, Duration life) {
    boolean polls = callee.deliveryMode() == DeliveryMode.POLL;
    if (!polls && !queue.hasRoom(callee.id())) {
      return Handed.NO_ROOM;
    }
    NewActivity row = row(errand, callee, task);
    Appended appended =
        feeds
            .appendAll(
                List.of(polls ? row : row.with(new Queueing(PRIORITY, life, QueueKind.ERRAND))))
            .getFirst();
    return switch (appended) {
      case Appended.Stored _, Appended.Repeated _ -> Handed.DONE;
      case Appended.OtherContent() -> Handed.ID_TAKEN;
      case Appended.FeedFull _ -> Handed.NO_ROOM;
    };
  }

  private static NewActivity row(Errand errand, Target callee, String task) {
    NormalRequest request =
        NormalRequest.of(request(errand, task), new Sender(errand.callerId()), UUID::randomUUID);
    return NewActivity.inbound(
        callee.id(),
        errand.callerId(),
        request.method(),
        request.method() + " → " + callee.name(),
        LosslessJson.write(request.body()),
        MessageContent.ofRequest(request.body()),
        MessageNames.of(request));
  }

  private static ObjectNode request(Errand errand, String task) {
    ObjectNode message = SystemMessages.message(errand.messageId(), task);
    message.putObject("metadata").put("delegation_id", errand.delegationId());
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", "message/send");
    request.putObject("params").set("message", message);
    return request;
  }

  /**
   * In the caller's transaction, with the delegation's row locked: the errand's message is not sent
   * any more, if it still waits to be. False, and nothing has changed, while it is being sent.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean withdraw(Errand errand, String why) {
    return messages
        .find(errand.calleeId(), errand.callerId(), MessageNames.key(errand.messageId()))
        .flatMap(message -> queue.openOf(message.activityId()))
        .map(queueId -> queue.endUnsent(queueId, EndState.DROPPED, why))
        .orElse(true);
  }

  /**
   * A row about the end of a delegation, for a caller whose agent is called: it is brought to it.
   */
  public NewActivity brought(NewActivity row) {
    return row.with(
        new Queueing(PRIORITY_OF_RESULTS, queueSettings.life(Optional.empty()), QueueKind.RESULT));
  }
}
