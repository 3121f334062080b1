package dev.muster.a2a;

import dev.muster.a2a.MessageRecords.NewRecord;
import dev.muster.a2a.RecordCompanion.Ending;
import dev.muster.a2a.RecordCompanion.Queueing;
import dev.muster.a2a.RecordCompanion.Sending;
import dev.muster.a2a.queue.Enqueued;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.NewQueued;
import dev.muster.a2a.queue.QueueEnd;
import dev.muster.activity.CompanionStore;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.postgres.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Writes the records of messages in the transactions of their rows. */
@Component
class RecordStore implements CompanionStore {

  private final MessageRecords records;
  private final MessageQueue queue;

  RecordStore(MessageRecords records, MessageQueue queue) {
    this.records = records;
    this.queue = queue;
  }

  @Override
  public void appended(Pipeline pipeline, List<Accompanied> rows) {
    List<NewRecord> created = new ArrayList<>();
    List<NewQueued> queued = new ArrayList<>();
    for (Accompanied row : rows) {
      switch ((RecordCompanion) Objects.requireNonNull(row.row().companion())) {
        case Sending(String owner) ->
            created.add(new NewRecord(row.activityId(), MessageState.SENDING, owner, null));
        case Queueing(int priority, var life, var kind) ->
            queued.add(
                new NewQueued(
                    row.activityId(),
                    row.row().workspaceId(),
                    row.row().sourceId(),
                    priority,
                    life,
                    kind));
        case Ending _ -> throw new IllegalArgumentException("a new message has not ended yet");
      }
    }
    if (!queued.isEmpty()) {
      pipeline.run(); // the queue refers to their rows
    }
    List<Enqueued> enqueued = queue.enqueueAll(queued);
    for (int i = 0; i < queued.size(); i++) {
      created.add(
          new NewRecord(
              queued.get(i).activityId(),
              MessageState.QUEUED,
              null,
              Replies.queued(enqueued.get(i))));
    }
    records.insert(pipeline, created);
  }

  /** A queued message ends for its deliverer only, while the queue's lease is its own. */
  @Override
  public Set<UUID> ended(List<TurnEnd> ends) {
    if (ends.isEmpty()) {
      return Set.of();
    }
    List<QueueEnd> ofQueue =
        ends.stream()
            .map(end -> (Ending) Objects.requireNonNull(end.companion()))
            .filter(ending -> ending.queued() != null)
            .map(Ending::queued)
            .map(Objects::requireNonNull)
            .map(q -> new QueueEnd(q.queueId(), q.owner(), q.state(), q.error()))
            .toList();
    Set<UUID> ours = ofQueue.isEmpty() ? Set.of() : queue.endAll(ofQueue);
    return records.end(ends.stream().filter(end -> isOurs(end, ours)).toList());
  }

  private static boolean isOurs(TurnEnd end, Set<UUID> endedInQueue) {
    Ending ending = (Ending) Objects.requireNonNull(end.companion());
    return ending.queued() == null || endedInQueue.contains(ending.queued().queueId());
  }
}
