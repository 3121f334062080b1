package dev.muster.message.flow;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryOutcome.Completion;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.QueueRepository;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.ReadPositions;
import dev.muster.message.store.UnansweredCalls;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.WorkspaceListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Queues or ends messages when their target changes. Removal of a workspace ends its waiting
 * messages (docs/api.md, section 2). A change of the delivery mode neither loses nor duplicates a
 * message (R3.2).
 */
@Component
@Order(1)
class TargetChanges implements WorkspaceListener {

  /**
   * Queues the unread, undelivered messages in the feed of a new push agent. Each has the terms
   * that are stored with it, and expires when it would have expired in a queue from the start.
   */
  private static final String QUEUE_UNREAD =
      """
      INSERT INTO deliveries (
          workspace_id, seq, sender_id, kind, queued, depth,
          priority, enqueued_at, due_at, expires_at)
      SELECT l.workspace_id, l.seq, l.source_id, coalesce(l.delivery_kind, 'message'), true, row_number() OVER (ORDER BY l.seq),
          coalesce(l.priority, 50), l.created_at, statement_timestamp(), life.ends_at
      FROM activity_logs l
      CROSS JOIN LATERAL (SELECT coalesce(l.expires_at, l.created_at + :life_s * interval '1 s') AS ends_at) AS life
      WHERE l.workspace_id = :id
          AND l.class IN ('c', 'p', 's')
          AND l.seq > :read
          AND l.request_body IS NOT NULL
          AND life.ends_at > statement_timestamp()
          AND NOT EXISTS (
              SELECT FROM delivery_outcomes o
              WHERE o.workspace_id = l.workspace_id AND o.seq = l.seq AND o.state <> 'in_feed')
      ORDER BY l.seq
      LIMIT :most
      ON CONFLICT (workspace_id, seq) DO NOTHING
      RETURNING seq
      """;

  /**
   * Deletes those of the new deliveries whose messages have ended. The insert may have waited for
   * the transaction that ended them, and its own snapshot is older than that.
   */
  private static final String DELETE_ENDED =
      """
      DELETE FROM deliveries d USING delivery_outcomes o
      WHERE d.workspace_id = :id AND d.seq = ANY (:seqs) AND o.workspace_id = d.workspace_id AND o.seq = d.seq
          AND o.state <> 'in_feed'
      """;

  private static final String METHODS =
      """
      SELECT seq, coalesce(method, '') AS method
      FROM activity_logs
      WHERE workspace_id = :id AND seq = ANY (:seqs)
      """;

  private final JdbcClient db;
  private final MessageStore store;
  private final ReadPositions readPositions;
  private final QueueRepository queue;
  private final QueueCompletion queueCompletion;
  private final Completions completions;
  private final UnansweredCalls unanswered;
  private final QueueWakeUps wakeUps;
  private final DeliverySettings settings;

  TargetChanges(
      JdbcClient db,
      MessageStore store,
      ReadPositions readPositions,
      QueueRepository queue,
      QueueCompletion queueCompletion,
      Completions completions,
      UnansweredCalls unanswered,
      QueueWakeUps wakeUps,
      DeliverySettings settings) {
    this.db = db;
    this.store = store;
    this.readPositions = readPositions;
    this.queue = queue;
    this.queueCompletion = queueCompletion;
    this.completions = completions;
    this.unanswered = unanswered;
    this.wakeUps = wakeUps;
    this.settings = settings;
  }

  /** Drops the waiting messages, after the delegations from and to these workspaces have ended. */
  @Override
  public boolean removed(List<UUID> workspaceIds, int most) {
    return queueCompletion.endUndelivered(
            queue.lockWaiting(workspaceIds, most), QueueState.DROPPED, "the workspace was removed")
        < most;
  }

  @Override
  public void registered(UUID workspaceId) {
    unanswered.registered(workspaceId);
    AfterCommit.run(() -> wakeUps.heartbeatsStored(Set.of(workspaceId)));
  }

  @Override
  public void deleted(List<UUID> workspaceIds) {
    unanswered.forget(workspaceIds);
  }

  @Override
  public void deliveryModeChanged(UUID workspaceId, DeliveryMode mode) {
    store.lock(Set.of(workspaceId));
    switch (mode) {
      case PUSH -> queueUnread(workspaceId);
      case POLL -> leaveInFeed(workspaceId);
    }
    store.outdateSnapshots(workspaceId);
  }

  private void queueUnread(UUID workspaceId) {
    List<Long> queued =
        db.sql(QUEUE_UNREAD)
            .param("id", workspaceId)
            .param("read", readPositions.of(workspaceId))
            .param("life_s", settings.queueTtl().toSeconds())
            .param("most", MessageAdmission.MAX_QUEUED)
            .query((row, n) -> row.getLong(1))
            .list();
    db.sql(DELETE_ENDED)
        .param("id", workspaceId)
        .param("seqs", queued.toArray(Long[]::new))
        .update();
    AfterCommit.run(() -> wakeUps.queued(Set.of(workspaceId)));
  }

  /** Leaves the waiting messages in the feed. A running attempt continues to its end. */
  private void leaveInFeed(UUID workspaceId) {
    List<QueuedMessage> waiting = queue.lockWaiting(workspaceId);
    Map<Long, String> methods = methodsOf(workspaceId, waiting);
    Set<Completion> _ =
        completions.completeAll(
            waiting.stream()
                .map(message ->
                    QueueCompletion.inFeed(
                            Objects.requireNonNull(methods.get(message.key().seq())), message)
                        .completion(message.key(), null, QueueState.DELIVERED))
                .toList());
  }

  private Map<Long, String> methodsOf(UUID workspaceId, List<QueuedMessage> messages) {
    Map<Long, String> methods = new HashMap<>();
    db.sql(METHODS)
        .param("id", workspaceId)
        .param("seqs", messages.stream().map(message -> message.key().seq()).toArray(Long[]::new))
        .query(row -> {
          methods.put(row.getLong("seq"), row.getString("method"));
        });
    return methods;
  }
}
