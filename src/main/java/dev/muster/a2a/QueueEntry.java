package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.Queueing;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.NewQueued;
import dev.muster.a2a.queue.QueueKind;
import dev.muster.a2a.queue.QueueSettings;
import dev.muster.activity.MessageIdentity;
import dev.muster.activity.Messages;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.workspace.Target;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Who has to wait, and the way into the queue (R7.6, R7.7). */
@Component
class QueueEntry {

  private final MessageQueue queue;
  private final MessageRecords records;
  private final Messages messages;
  private final CertainTransactions transactions;
  private final A2aSettings settings;
  private final QueueSettings queueSettings;

  QueueEntry(
      MessageQueue queue,
      MessageRecords records,
      Messages messages,
      CertainTransactions transactions,
      A2aSettings settings,
      QueueSettings queueSettings) {
    this.queue = queue;
    this.records = records;
    this.messages = messages;
    this.transactions = transactions;
    this.settings = settings;
    this.queueSettings = queueSettings;
  }

  /**
   * Whether the request cannot be delivered at once. What sends no message takes no place at the
   * agent, so it may go to one that is busy. Refuses a new message for which there is no room.
   */
  boolean isNeeded(Target target, Sender sender, NormalRequest request) {
    boolean waits =
        !target.isReachable()
            || (request.message() != null
                && (target.isAtCapacity()
                    || queue.ahead(target.id(), sender.workspaceId()).ofSender()));
    if (waits) {
      requireRoom(target, sender, request);
    }
    return waits;
  }

  /** Refuses a new message for which there is no room. */
  void requireRoom(Target target, Sender sender, NormalRequest request) {
    if (!isKnown(target, sender, request)) {
      queue.requireRoom(target.id());
    }
  }

  private boolean isKnown(Target target, Sender sender, NormalRequest request) {
    @Nullable MessageIdentity identity = MessageNames.of(request);
    return identity != null
        && messages.find(target.id(), sender.workspaceId(), identity.key()).isPresent();
  }

  /** What the request asks for, should it have to wait. */
  QueueWishes wishes(NormalRequest request) {
    return QueueWishes.of(request, queueSettings);
  }

  /** For a new message. */
  static Queueing companion(QueueWishes wishes) {
    return new Queueing(wishes.priority(), wishes.life(), QueueKind.MESSAGE);
  }

  /**
   * For a message that comes again, if it may be delivered again and nobody else does; it needs
   * room like a new one.
   */
  Optional<Reply> takeOver(
      UUID activityId, Target target, @Nullable UUID senderId, QueueWishes wishes) {
    NewQueued message =
        new NewQueued(activityId, target.id(), senderId, wishes.priority(), wishes.life());
    String owner = Claim.newOwner();
    return transactions.run(() ->
        records
            .takeOver(activityId, owner, settings.retriesAmbiguous())
            .map(deliveries -> {
              queue.requireRoom(target.id());
              Reply reply = Replies.queued(queue.enqueueAll(List.of(message)).getFirst());
              records.moveToQueue(activityId, owner, reply);
              return reply;
            }));
  }
}
