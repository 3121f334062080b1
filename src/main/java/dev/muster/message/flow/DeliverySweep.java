package dev.muster.message.flow;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.QueueDecision.AfterCall;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.DeliverySweepRepository;
import dev.muster.message.store.LeaseTimes;
import dev.muster.message.store.QueueMetrics;
import dev.muster.message.store.QueueRepository;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.ReplicaLease;
import dev.muster.message.store.WaitingTargets;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.text.Text;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.Pace;
import dev.muster.platform.work.RecurringJob;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.platform.work.SweepThrottle;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Gatherers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ends expired messages, takes over deliveries of dead replicas, and releases lost claims. Messages
 * for removed workspaces are dropped. A claim is lost when its statement succeeded but this replica
 * did not get the result.
 */
@Configuration(proxyBeanMethods = false)
public class DeliverySweep {

  public static final String SERVER_LOST =
      "ServerLost: the server that delivered this ended meanwhile";

  private static final Logger log = LoggerFactory.getLogger(DeliverySweep.class);
  private static final int BATCH_SIZE = 500;

  private final DeliverySweepRepository repository;
  private final QueueRepository queue;
  private final WaitingTargets waiting;
  private final QueueCompletion queueCompletion;
  private final Completions completions;
  private final ReplicaLease lease;
  private final QueueWakeUps wakeUps;
  private final QueueMetrics queueMetrics;
  private final DeliverySettings settings;
  private final CommitAwareTransactions transactions;
  private final SweepMetrics metrics;
  private final LeaseTimes times;
  private final FailingUnits unexpired;
  private final FailingUnits untaken;
  private final BackgroundLoop takeovers;

  DeliverySweep(
      DeliverySweepRepository repository,
      QueueRepository queue,
      WaitingTargets waiting,
      QueueCompletion queueCompletion,
      Completions completions,
      ReplicaLease lease,
      QueueWakeUps wakeUps,
      QueueMetrics queueMetrics,
      DeliverySettings settings,
      CommitAwareTransactions transactions,
      MeterRegistry metrics,
      Pace pace,
      BackgroundLoops loops) {
    this.repository = repository;
    this.queue = queue;
    this.waiting = waiting;
    this.queueCompletion = queueCompletion;
    this.completions = completions;
    this.lease = lease;
    this.wakeUps = wakeUps;
    this.queueMetrics = queueMetrics;
    this.settings = settings;
    this.transactions = transactions;
    this.metrics = new SweepMetrics(metrics, "queue");
    this.times = LeaseTimes.at(pace);
    this.unexpired = new FailingUnits("delivery-sweep", metrics);
    this.untaken = new FailingUnits("delivery-takeover", metrics);
    this.takeovers = loops.start("delivery-takeover", times.renewal(), this::takeOverAndCleanUp);
  }

  @Bean
  RecurringJob deliverySweepJob() {
    return new RecurringJob("delivery-sweep", times.sweep(), this::run);
  }

  public void run() {
    try {
      metrics.measure(() -> {
        int expired = expire();
        Set<UUID> removed = new TreeSet<>();
        int dropped = dropOfRemoved(removed);
        metrics.countTransitions(expired + dropped);
        if (expired + dropped > 0) {
          log.info(
              "the queue is swept: {} messages expired, {} were for removed workspaces [{}]",
              expired,
              dropped,
              Text.few(removed));
        }
        return expired + dropped;
      });
    } catch (RuntimeException e) {
      metrics.countError();
      throw e;
    }
  }

  private int expire() {
    AtomicInteger expired = new AtomicInteger();
    List<ActivityKey> found;
    int before;
    do {
      long start = System.nanoTime();
      before = expired.get();
      found = repository.expired(unexpired.delayed(ActivityKey.class));
      unexpired.runAll(
          found,
          key -> key,
          some ->
              expired.addAndGet(
                  end(
                      () -> repository.lockExpired(some),
                      QueueState.EXPIRED,
                      "not delivered before it expired")));
      SweepThrottle.pauseAfter(System.nanoTime() - start);
    } while (found.size() == QueueRepository.MAX_BATCH && expired.get() > before);
    return expired.get();
  }

  private int dropOfRemoved(Set<UUID> removed) {
    return waiting
        .all()
        .filter(target -> !target.isThere())
        .mapToInt(target -> {
          AtomicInteger dropped = new AtomicInteger();
          boolean _ =
              unexpired.run("the queue of " + target.id(), () -> dropped.set(dropAll(target.id())));
          if (dropped.get() > 0) {
            removed.add(target.id());
          }
          return dropped.get();
        })
        .sum();
  }

  private int dropAll(UUID targetId) {
    return end(() -> queue.lockWaiting(targetId), QueueState.DROPPED, "the workspace was removed");
  }

  /** Drops and counts the messages that waited {@code minutes} or longer for these targets. */
  public int dropStale(Collection<UUID> targetIds, int minutes) {
    String why =
        "dropped by an operator, with all messages that waited for " + minutes + " minutes";
    int dropped = 0;
    int batch;
    do {
      batch = end(() -> queue.lockStale(targetIds, minutes), QueueState.DROPPED, why);
      dropped += batch;
    } while (batch == QueueRepository.MAX_BATCH);
    return dropped;
  }

  /** Drops and counts the messages that waited {@code minutes} or longer, for all targets. */
  public int dropStale(int minutes) {
    return waiting
        .all()
        .map(WaitingTargets.WaitedFor::id)
        .gather(Gatherers.windowFixed(BATCH_SIZE))
        .mapToInt(some -> dropStale(some, minutes))
        .sum();
  }

  /** Ends the locked messages and their delegations in one transaction; returns their number. */
  private int end(Supplier<List<QueuedMessage>> locking, QueueState state, String why) {
    return transactions.runRetryingDeadlocks(
        _ -> queueCompletion.endUndelivered(locking.get(), state, why));
  }

  private void takeOverAndCleanUp() {
    releaseUnknownClaims();
    if (lease.mayJudgeOthers()) {
      repository.forgetDeadReplicas();
      takeOver();
    }
  }

  /** Releases deliveries under claims that this replica does not know; they were never sent. */
  private void releaseUnknownClaims() {
    for (boolean queued : new boolean[] {true, false}) {
      for (QueuedMessage message : repository.heldBy(lease.owner(), queued, times.unknownClaim())) {
        if (!lease.isKnown(message.heldBy().number())) {
          boolean _ = untaken.run(message.key(), () -> release(message, queued));
        }
      }
    }
  }

  private void release(QueuedMessage message, boolean queued) {
    if (queued) {
      boolean _ = queue.releaseUntried(message, Duration.ZERO);
    } else {
      boolean _ =
          completions.complete(
              queueCompletion
                  .refused(
                      "the server did not learn of its delivery claim in time, and sent nothing")
                  .completion(message.key(), message.heldBy(), null));
    }
  }

  void takeOver() {
    List<UUID> targets = new ArrayList<>();
    for (boolean queued : new boolean[] {true, false}) {
      List<ActivityKey> found;
      int before;
      do {
        before = targets.size();
        found = repository.ofDeadReplicas(queued, untaken.delayed(ActivityKey.class));
        untaken.runAll(
            found,
            key -> key,
            some ->
                transactions
                    .runRetryingDeadlocks(_ -> takeOverBatch(queued, some))
                    .forEach(message -> targets.add(message.targetId())));
      } while (found.size() == QueueRepository.MAX_BATCH && targets.size() > before);
    }
    if (!targets.isEmpty()) {
      queueMetrics.countTakenOver(targets.size());
      log.info(
          "took over {} deliveries of replicas that ended, to workspaces {}",
          targets.size(),
          Text.few(new TreeSet<>(targets)));
      wakeUps.queued(Set.copyOf(targets));
    }
  }

  private List<QueuedMessage> takeOverBatch(boolean queued, List<ActivityKey> keys) {
    return lease.withClaim(claim -> {
      List<QueuedMessage> held = repository.claimOfDeadReplicas(queued, keys, claim);
      if (!queued) { // its sender may send it again
        held.forEach(message -> queueCompletion.endInDoubt(message, null, SERVER_LOST));
        return held;
      }
      switch (QueueDecision.afterLoss(settings.retryAmbiguous())) {
        case AfterCall.Again() ->
            held.forEach(message ->
                queue.release(
                    message.key(),
                    claim,
                    message.error(),
                    message.lastStatus(),
                    1,
                    null,
                    Duration.ZERO));
        case AfterCall.End(QueueState state) ->
            held.forEach(message -> queueCompletion.endInDoubt(message, state, SERVER_LOST));
      }
      return held;
    });
  }

  /** Ends the delivery of a dead replica as uncertain; returns whether it was still open. */
  boolean endOfDeadReplica(ActivityKey key, DeliveryClaim heldBy) {
    return completions.complete(
        queueCompletion.uncertain(SERVER_LOST, 1).completion(key, heldBy, null));
  }

  @PreDestroy
  public void close() {
    takeovers.close();
  }
}
