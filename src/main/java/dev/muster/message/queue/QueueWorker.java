package dev.muster.message.queue;

import dev.muster.message.flow.AttemptPermits;
import dev.muster.message.flow.AttemptPermits.Permit;
import dev.muster.message.flow.QueuedAttempts;
import dev.muster.message.flow.QueuedAttempts.Attempt;
import dev.muster.message.flow.QueuedAttempts.Reaction;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.QueueRepository;
import dev.muster.message.store.QueueRepository.Claimed;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.ReplicaLease;
import dev.muster.message.store.UnansweredCalls;
import dev.muster.message.store.WaitingTargets;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.work.AdaptiveInterval;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.Pace;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Delivers queued messages (R7.7). It claims messages whose targets can take them and runs one
 * attempt for each. Heartbeats, new messages and ended deliveries wake it, on any replica. A scan
 * of all targets, about once a second, finds what these do not signal.
 */
@Component
public class QueueWorker implements SmartLifecycle {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private static final int BATCH_SIZE = 50;

  /** The worker rests as long as a claim takes, so that a deep queue leaves time to heartbeats. */
  private static final Duration MAX_REST = Duration.ofMillis(20);

  private static final Duration NO_SLOT_DELAY = Duration.ofSeconds(1);

  /** The time in which interrupted attempts release their messages. */
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(1);

  private static final LimitedLog failed = new LimitedLog(QueueWorker.class);

  private final MessageStore store;
  private final QueueRepository queue;
  private final WaitingTargets waiting;
  private final UnansweredCalls unanswered;
  private final QueueWakeUps wakeUps;
  private final Workspaces workspaces;
  private final QueuedAttempts attempts;
  private final ReplicaLease lease;
  private final TransactionTemplate transactions;
  private final OutageLog outages;
  private final FailingUnits failing;
  private final AttemptPermits permits;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();

  private final AdaptiveInterval scans;
  private final Pace pace;
  private volatile boolean isRunning;
  private final BackgroundLoop loop;

  QueueWorker(
      MessageStore store,
      QueueRepository queue,
      WaitingTargets waiting,
      UnansweredCalls unanswered,
      QueueWakeUps wakeUps,
      Workspaces workspaces,
      QueuedAttempts attempts,
      AttemptPermits permits,
      ReplicaLease lease,
      TransactionTemplate transactions,
      OutageLog outages,
      MeterRegistry metrics,
      Pace pace,
      BackgroundLoops loops) {
    this.store = store;
    this.queue = queue;
    this.waiting = waiting;
    this.unanswered = unanswered;
    this.wakeUps = wakeUps;
    this.workspaces = workspaces;
    this.attempts = attempts;
    this.permits = permits;
    this.lease = lease;
    this.transactions = transactions;
    this.outages = outages;
    this.failing = new FailingUnits("queue-worker", metrics);
    this.pace = pace;
    this.scans = new AdaptiveInterval(pace.of(POLL_INTERVAL));
    this.loop = loops.start("queue-worker", pace.of(POLL_INTERVAL), this::run);
  }

  private synchronized void run() {
    if (!isRunning) {
      return;
    }
    long begin = System.nanoTime();
    claim(wakeUps.takeWoken());
    // Each end of a delivery wakes this worker. A claim after a rest finds more free slots.
    LockSupport.parkNanos(Math.min(System.nanoTime() - begin, MAX_REST.toNanos()));
    scans.runIfDue(this::scan);
  }

  private void scan() {
    Set<UUID> found = wakeUps.beginLook();
    List<UUID> due = new ArrayList<>();
    List<UUID> mayAnswer = new ArrayList<>();
    waiting
        .all()
        .forEach(target -> {
          found.add(target.id());
          if (target.isDue() || target.mayAnswer()) {
            due.add(target.id());
          }
          if (target.mayAnswer()) {
            mayAnswer.add(target.id());
          }
        });
    wakeUps.endLook(found);
    unanswered.makeOneDue(mayAnswer);
    claim(due);
  }

  private void claim(List<UUID> targets) {
    List<UUID> left = new ArrayList<>();
    for (int from = 0; from < targets.size(); from += BATCH_SIZE) {
      List<UUID> batch = targets.subList(from, Math.min(from + BATCH_SIZE, targets.size()));
      if (permits.freeForOthers() == permits.free()) {
        claim(batch, permits::free, left);
      } else {
        claim(batch.stream().filter(permits::hasAnswered).toList(), permits::free, left);
        claim(
            batch.stream().filter(id -> !permits.hasAnswered(id)).toList(),
            permits::freeForOthers,
            left);
      }
    }
    wakeUps.leaveWoken(left);
  }

  /**
   * Adds to {@code left} the targets to wake again. What is not tried has neither failed nor
   * succeeded.
   */
  private void claim(List<UUID> targets, IntSupplier free, List<UUID> left) {
    if (free.getAsInt() == 0) {
      left.addAll(targets);
    } else if (lease.isAlive()) {
      failing.runAll(
          targets, id -> "the queue of " + id, some -> left.addAll(claim(some, free.getAsInt())));
    }
  }

  /**
   * Claims at most {@code most} messages, for the first targets first. Returns the targets to wake
   * again: those whose feed heads are locked, and those that got nothing because there were no more
   * permits.
   */
  private Collection<UUID> claim(List<UUID> woken, int most) {
    if (most == 0) {
      return woken;
    }
    List<UUID> targets = queue.canTake(woken, permits::limitOf);
    if (targets.isEmpty()) {
      return List.of();
    }
    Set<UUID> notLocked = new LinkedHashSet<>(targets);
    DeliveryClaim claim = lease.begin();
    List<Attempt> begun = List.of();
    try {
      begun =
          transactions.execute(status -> {
            Set<UUID> locked = Set.copyOf(store.lockSkippingLocked(targets));
            notLocked.removeAll(locked);
            List<UUID> mayClaim = targets.stream().filter(locked::contains).toList();
            return mayClaim.isEmpty() ? List.<Attempt>of() : claim(mayClaim, claim, most);
          });
    } finally {
      HeldClaim held = new HeldClaim(lease, claim, new AtomicInteger(Math.max(1, begun.size())));
      if (begun.isEmpty()) {
        held.stop();
      }
      begun.forEach(attempt -> start(attempt, held));
    }
    if (begun.size() < most) {
      return notLocked;
    }
    Set<UUID> unserved = new LinkedHashSet<>(targets);
    begun.forEach(attempt -> unserved.remove(attempt.queued().targetId()));
    return unserved;
  }

  private List<Attempt> claim(List<UUID> locked, DeliveryClaim claim, int most) {
    List<Claimed> claimed = queue.claim(locked, permits::limitOf, claim, most);
    Map<UUID, DeliveryTarget> targets =
        claimed.isEmpty()
            ? Map.of()
            : workspaces.targets(
                claimed.stream().map(one -> one.queued().targetId()).distinct().toList());
    return claimed.stream()
        .map(one -> new Attempt(one, targets.get(one.queued().targetId())))
        .toList();
  }

  /** A claim of several messages, which ends after the last of them. */
  private record HeldClaim(ReplicaLease lease, DeliveryClaim claim, AtomicInteger left) {

    void stop() {
      if (left.decrementAndGet() == 0) {
        lease.end(claim);
      }
    }
  }

  private void start(Attempt attempt, HeldClaim held) {
    QueuedMessage message = attempt.queued();
    Permit permit = permits.begin(message.targetId());
    Thread thread =
        Thread.ofVirtual()
            .name("queue-attempt-" + message.id())
            .unstarted(() -> run(attempt, held, permit));
    running.add(thread);
    thread.start();
  }

  private void run(Attempt attempt, HeldClaim held, Permit permit) {
    QueuedMessage message = attempt.queued();
    Reaction reaction = Reaction.NOT_CALLED;
    try {
      QueuedAttempts.Result result = resultOf(attempt);
      reaction = result.reaction();
      // stop() interrupts this thread no longer; an earlier interrupt must not reach the database
      running.remove(Thread.currentThread());
      boolean _ = Thread.interrupted();
      release(message, result);
    } catch (RuntimeException e) {
      // DeliverySweep releases it once this replica has ended the claim
      failed.log(Level.DEBUG, "the message {} could not be released", message.id(), e);
    } finally {
      running.remove(Thread.currentThread());
      held.stop();
      permit.release(reaction);
      wakeUps.wake(List.of(message.targetId()));
    }
  }

  private QueuedAttempts.Result resultOf(Attempt attempt) {
    QueuedMessage message = attempt.queued();
    try {
      QueuedAttempts.Result result =
          lease.isAlive() ? attempts.make(attempt) : new QueuedAttempts.Result.NoFreeSlot();
      failing.succeeded(unit(message));
      return result;
    } catch (RuntimeException | Error e) {
      report(message, e);
      return new QueuedAttempts.Result.Failed(
          e.toString(), null, Optional.empty(), 0, null, Reaction.NOT_CALLED);
    }
  }

  /** The queue itself delays the message, by the number of its attempts. */
  private void report(QueuedMessage message, Throwable failure) {
    if (outages.report(failure)) {
      return;
    }
    if (failure instanceof RuntimeException e && !FailingUnits.isOutage(e)) {
      Duration _ = failing.failed(unit(message), e);
    } else {
      failed.log(
          Level.ERROR,
          "the attempt to deliver the queued message {} failed",
          message.id(),
          failure);
    }
  }

  private static Object unit(QueuedMessage message) {
    return "the message " + message.id();
  }

  private void release(QueuedMessage message, QueuedAttempts.Result result) {
    switch (result) {
      case QueuedAttempts.Result.Over _ -> {
        // ended, or left to another replica
      }
      case QueuedAttempts.Result.Failed failure ->
          queue.release(
              message.key(),
              message.heldBy(),
              failure.error(),
              failure.status(),
              failure.deliveries(),
              failure.answered(),
              pace.of(QueuedMessage.pauseAfter(message.attempts() - 1, failure.retryAfter())));
      case QueuedAttempts.Result.NoFreeSlot() ->
          queue.releaseUntried(message, pace.of(NO_SLOT_DELAY));
    }
  }

  /** Starts after the web server, like every component that calls agents. */
  @Override
  public void start() {
    isRunning = true;
    wakeUps.wakeWith(loop::wake);
    loop.wake();
  }

  @Override
  public void stop() {
    if (!isRunning) {
      return;
    }
    synchronized (this) { // waits for a running claim
      isRunning = false;
    }
    List.copyOf(running).forEach(Thread::interrupt);
    // an interrupted attempt still releases its message
    permits.awaitEnds(SHUTDOWN_TIMEOUT);
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
