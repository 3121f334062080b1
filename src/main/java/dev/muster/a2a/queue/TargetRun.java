package dev.muster.a2a.queue;

import dev.muster.platform.jobs.BackOff;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.log.OutageLog;
import dev.muster.workspace.Room;
import dev.muster.workspace.Rooms;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** One run of a target's job: as many attempts at once as the target has room for. */
final class TargetRun {

  private static final Logger log = LoggerFactory.getLogger(TargetRun.class);
  private static final LimitedLog failed = new LimitedLog(TargetRun.class);

  /** While attempts are under way, for what other replicas put into the line. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

  /** Interrupted attempts have so long to say what became of them. */
  private static final Duration PATIENCE_AT_STOP = Duration.ofSeconds(1);

  private final UUID target;
  private final ClaimRepository claims;
  private final Leases leases;
  private final Rooms rooms;
  private final QueuedDelivery delivery;
  private final Supplier<String> owners;
  private final OutageLog outages;
  private final Semaphore news = new Semaphore(0);
  private final Map<Lease, Thread> attempts = new ConcurrentHashMap<>();
  private volatile boolean refused;

  TargetRun(
      UUID target,
      ClaimRepository claims,
      Leases leases,
      Rooms rooms,
      QueuedDelivery delivery,
      Supplier<String> owners,
      OutageLog outages) {
    this.target = target;
    this.claims = claims;
    this.leases = leases;
    this.rooms = rooms;
    this.delivery = delivery;
    this.owners = owners;
    this.outages = outages;
  }

  void lookAgain() {
    news.release();
  }

  /**
   * Empty when the line is empty or the target cannot take more, in which case its next beat or the
   * pass goes on.
   */
  Optional<Duration> untilNothingIsLeft() {
    try {
      boolean hasRoom;
      do {
        hasRoom = startWhatCanGo();
      } while (isUnderWay());
      return hasRoom ? claims.nextDue(target).map(TargetRun::pause) : Optional.empty();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return Optional.of(SHORTEST_PAUSE);
    } finally {
      stopAttempts();
    }
  }

  private static Duration pause(Duration untilDue) {
    return untilDue.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : untilDue;
  }

  /** Waits for news, if there can be any; an attempt tells of its end before it counts as over. */
  private boolean isUnderWay() throws InterruptedException {
    if (attempts.isEmpty()) {
      return news.tryAcquire();
    }
    var _ = news.tryAcquire(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
    return true;
  }

  /** Whether the target can take messages. */
  private boolean startWhatCanGo() throws InterruptedException {
    news.drainPermits();
    Optional<Room> room = refused ? Optional.empty() : rooms.of(target).filter(Room::isReachable);
    if (room.isEmpty() || Thread.interrupted()) {
      return false;
    }
    String owner = owners.get();
    long askedAt = System.nanoTime();
    List<QueuedMessage> claimed = claims.claim(target, room.get().places(), owner);
    claimed.forEach(message -> start(leases.take(new Claimed(message, owner), askedAt)));
    return room.get().places() > 0;
  }

  private void start(Lease lease) {
    Thread thread =
        Thread.ofVirtual()
            .name("queue-attempt-" + lease.claimed().message().queueId())
            .unstarted(() -> attempt(lease));
    attempts.put(lease, thread);
    thread.start();
  }

  private void attempt(Lease lease) {
    try {
      @Nullable Attempt outcome = lease.begin() ? outcomeOf(lease.claimed()) : null;
      boolean held = leases.end(lease);
      // from here on nobody interrupts, and what is left of it must not reach the database
      boolean _ = Thread.interrupted();
      if (outcome != null && held) {
        giveBack(lease.claimed(), outcome);
      }
    } catch (RuntimeException e) {
      // the lease lapses, and then it is tried again
      log.debug("the message {} could not be given back", lease.claimed().message().queueId(), e);
    } finally {
      news.release();
      attempts.remove(lease);
    }
  }

  private Attempt outcomeOf(Claimed claimed) {
    try {
      return delivery.attempt(claimed);
    } catch (RuntimeException | Error e) {
      if (!outages.met(e)) {
        failed.log(
            Level.ERROR,
            "the attempt to deliver the queued message {} failed",
            claimed.message().queueId(),
            e);
      }
      return new Attempt.Later(e.toString());
    }
  }

  private void giveBack(Claimed claimed, Attempt outcome) {
    switch (outcome) {
      case Attempt.Ended() -> {
        // its row says so
      }
      case Attempt.Later(String error) ->
          claims.giveBack(
              claimed, error, BackOff.OF_DELIVERIES.delay(claimed.message().attempts() - 1));
      case Attempt.NoRoom() -> {
        refused = true;
        claims.giveBackUntried(claimed);
      }
    }
  }

  private void stopAttempts() {
    attempts.keySet().forEach(Lease::interrupt);
    long deadline = System.nanoTime() + PATIENCE_AT_STOP.toNanos();
    boolean interrupted = Thread.interrupted();
    try {
      for (Thread thread : attempts.values()) {
        var _ = thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
