package dev.muster.a2a.queue;

import dev.muster.platform.jobs.DeliveryJobs;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages that wait for agents which cannot take them right now (R7.7): durable, in one line a
 * target, and delivered by whichever replica gets to it, by the {@link QueuedDelivery}.
 */
@Service
public class MessageQueue {

  static final int MOST_WAITING = 1000;

  private final QueueRepository repository;
  private final UnsentEnds unsent;
  private final EndCounts counts;
  private final WaitingTargets waiting;
  private final DeliveryJobs jobs;

  MessageQueue(
      QueueRepository repository,
      UnsentEnds unsent,
      EndCounts counts,
      WaitingTargets waiting,
      DeliveryJobs jobs) {
    this.repository = repository;
    this.unsent = unsent;
    this.counts = counts;
    this.waiting = waiting;
    this.jobs = jobs;
  }

  /** What waits for the target already, and whether a message of this sender has to wait too. */
  public Ahead ahead(UUID targetId, @Nullable UUID senderId) {
    return repository.ahead(targetId, senderId);
  }

  /**
   * Refuses with 503 {@code QUEUE_FULL} when 1,000 wait for the target. Those who ask at the same
   * moment may go beyond it by as many as they are.
   */
  public void requireRoom(UUID targetId) {
    if (!hasRoom(targetId)) {
      throw new ProblemException(
          ErrorCode.QUEUE_FULL,
          MOST_WAITING
              + " messages wait for the workspace "
              + targetId
              + " already; try again later");
    }
  }

  public boolean hasRoom(UUID targetId) {
    return !repository.hasWaiting(targetId, MOST_WAITING);
  }

  /** Stores these with the caller's transaction, and has them delivered after its commit. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Enqueued> enqueueAll(List<NewQueued> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    List<UUID> ids = repository.insert(messages);
    Set<UUID> targets =
        messages.stream().map(NewQueued::targetId).collect(Collectors.toCollection(TreeSet::new));
    Map<UUID, Integer> depths = repository.depths(targets);
    jobs.schedule(
        TargetDeliveries.JOB, targets.stream().map(UUID::toString).collect(Collectors.toSet()));
    afterCommit(() -> waiting.added(targets));
    return IntStream.range(0, ids.size())
        .mapToObj(i ->
            new Enqueued(
                ids.get(i), Objects.requireNonNull(depths.get(messages.get(i).targetId()))))
        .toList();
  }

  /**
   * Ends these in the caller's transaction, as far as they still are their owners', and returns the
   * ids of those: the others are being delivered by somebody else, or are over.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public Set<UUID> endAll(List<QueueEnd> ends) {
    Set<UUID> ended = new HashSet<>(repository.end(ends));
    Map<EndState, Integer> byState =
        ends.stream()
            .filter(end -> ended.contains(end.queueId()))
            .map(QueueEnd::state)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.summingInt(state -> 1)));
    byState.forEach(counts::countAfterCommit);
    return ended;
  }

  public Optional<QueuedMessage> find(UUID queueId) {
    return repository.find(queueId);
  }

  /** The row of the queue by which this message waits or is being sent. */
  public Optional<UUID> openOf(UUID activityId) {
    return repository.openOf(activityId);
  }

  /**
   * Ends a message in the caller's transaction, with all that hangs on it. False, and nothing has
   * changed, when it does not wait: it is being delivered, or it has ended.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean endUnsent(UUID queueId, EndState state, String why) {
    return unsent.end(queueId, state, why);
  }

  /** These may have room now. Returns at once, and costs nothing for those nothing waits for. */
  public void kick(Collection<UUID> targetIds) {
    waiting.heard(targetIds);
  }

  /**
   * Drops in the caller's transaction what waits for these, and returns how many that were.
   * Messages that are on their way are left: the next pass drops those that come back. Without a
   * call a pass drops all that waits for removed workspaces, within 15 s.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public int dropOf(Collection<UUID> targetIds, String why) {
    return unsent.dropOf(targetIds, why);
  }

  private static void afterCommit(Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            action.run();
          }
        });
  }
}
