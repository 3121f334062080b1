package dev.muster.message.flow;

import dev.muster.message.DelegationMessage;
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
import dev.muster.platform.commit.AfterCommit;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.WorkspaceListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
   * Queues the unread, undelivered messages in the feed of a new push agent. A message carries a
   * delegation only if the ledger knows that one of its sender. It waits as long as in a queue into
   * which it was put at once: until the deadline, if its delegation still needs it.
   */
  private static final String QUEUE_UNREAD =
      """
      INSERT INTO deliveries (
          workspace_id, seq, sender_id, kind, queued, depth, priority,
          enqueued_at, due_at, expires_at)
      SELECT l.workspace_id, l.seq, l.source_id,
          CASE WHEN l.source = 'system' THEN 'result' WHEN task.delegation_id IS NOT NULL THEN 'delegation' ELSE 'message' END,
          true, row_number() OVER (ORDER BY l.seq), CASE WHEN l.source = 'system' THEN 100 ELSE 50 END,
          l.created_at, statement_timestamp(), life.ends_at
      FROM activity_logs l
      LEFT JOIN LATERAL (
          SELECT delegation_id, CASE
              WHEN terminal_status IS NULL
                  AND l.message_id = delegation_id || CASE WHEN retry_count > 0 THEN '~' || retry_count ELSE '' END
              THEN deadline END AS deadline
          FROM api_delegation_entry
          WHERE delegation_id = l.delegation_id AND caller_id = l.source_id AND callee_id = l.workspace_id
              AND (l.message_id = delegation_id OR starts_with(l.message_id, delegation_id || '~'))
          OFFSET 0) AS task ON true
      CROSS JOIN LATERAL (
          SELECT coalesce(task.deadline + :overdue_s * interval '1 s', l.created_at + :life_s * interval '1 s') AS ends_at) AS life
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

  /** The requests of new deliveries that may say how they wait; one may be large. */
  private static final String WITH_OPTIONS =
      """
      SELECT l.seq, l.request_body
      FROM deliveries d JOIN activity_logs l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      WHERE d.workspace_id = :id AND d.seq = ANY (:seqs) AND d.kind = 'message'
          AND (strpos(l.request_body, :priority) > 0 OR strpos(l.request_body, :expires) > 0)
      """;

  private static final String SET_OPTIONS =
      """
      UPDATE deliveries d SET priority = wanted.priority, expires_at = d.enqueued_at + wanted.life_ms * interval '1 ms'
      FROM unnest(:seqs::bigint[], :priorities::integer[], :lives::bigint[]) AS wanted (seq, priority, life_ms)
      WHERE d.workspace_id = :id AND d.seq = wanted.seq
      """;

  private static final String DELETE_EXPIRED =
      """
      DELETE FROM deliveries
      WHERE workspace_id = :id AND seq = ANY (:seqs) AND expires_at <= statement_timestamp()
      """;

  /** So many requests are in memory at once. */
  private static final int FETCHED = 16;

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
            .param("overdue_s", DelegationMessage.MAX_OVERDUE.toSeconds())
            .param("most", MessageAdmission.MAX_QUEUED)
            .query((row, n) -> row.getLong(1))
            .list();
    db.sql(DELETE_ENDED)
        .param("id", workspaceId)
        .param("seqs", queued.toArray(Long[]::new))
        .update();
    setOptions(workspaceId, queued.toArray(Long[]::new));
    AfterCommit.run(() -> wakeUps.queued(Set.of(workspaceId)));
  }

  /**
   * Lets messages wait as their senders wanted (R7.7); what has waited for too long stays in the
   * feed.
   */
  private void setOptions(UUID workspaceId, Long[] queued) {
    List<Long> seqs = new ArrayList<>();
    List<Integer> priorities = new ArrayList<>();
    List<Long> lives = new ArrayList<>();
    db.sql(WITH_OPTIONS)
        .param("id", workspaceId)
        .param("seqs", queued)
        .param("priority", '"' + QueueOptions.PRIORITY + '"')
        .param("expires", '"' + QueueOptions.EXPIRES + '"')
        .withFetchSize(FETCHED)
        .query(row -> {
          Optional<QueueOptions> options = optionsOf(row.getString("request_body"));
          if (options.isPresent()) {
            seqs.add(row.getLong("seq"));
            priorities.add(options.get().priority());
            lives.add(options.get().life().toMillis());
          }
        });
    if (seqs.isEmpty()) {
      return;
    }
    db.sql(SET_OPTIONS)
        .param("id", workspaceId)
        .param("seqs", seqs.toArray(Long[]::new))
        .param("priorities", priorities.toArray(Integer[]::new))
        .param("lives", lives.toArray(Long[]::new))
        .update();
    db.sql(DELETE_EXPIRED)
        .param("id", workspaceId)
        .param("seqs", seqs.toArray(Long[]::new))
        .update();
  }

  /** Empty if they are wrong, which is no error of a request to a poll agent. */
  private Optional<QueueOptions> optionsOf(String request) {
    try {
      return Optional.of(
          QueueOptions.of(LosslessJson.parse(request.getBytes(StandardCharsets.UTF_8)), settings));
    } catch (ProblemException _) {
      return Optional.empty();
    }
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
