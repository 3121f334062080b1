package dev.muster.a2a.queue;

import dev.muster.platform.jobs.Replica;
import dev.muster.platform.log.OutageLog;
import dev.muster.workspace.Rooms;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** The job that empties the line of one target. */
@Component
class TargetDeliveries {

  static final String JOB = "queue-delivery";

  private final ClaimRepository claims;
  private final Leases leases;
  private final Rooms rooms;
  private final Replica replica;
  private final OutageLog outages;

  /** Asked for late: whoever delivers also puts messages into the queue. */
  private final ObjectProvider<QueuedDelivery> delivery;

  private final AtomicLong lastOwner = new AtomicLong();
  private final Map<UUID, TargetRun> running = new ConcurrentHashMap<>();

  TargetDeliveries(
      ClaimRepository claims,
      Leases leases,
      Rooms rooms,
      Replica replica,
      ObjectProvider<QueuedDelivery> delivery,
      OutageLog outages) {
    this.claims = claims;
    this.leases = leases;
    this.rooms = rooms;
    this.replica = replica;
    this.delivery = delivery;
    this.outages = outages;
  }

  /**
   * Delivers what can be delivered to the target, and says after how long there may be more to do.
   */
  Optional<Duration> run(String targetId) {
    @Nullable QueuedDelivery to = delivery.getIfAvailable();
    if (to == null) {
      return Optional.empty();
    }
    UUID target = UUID.fromString(targetId);
    TargetRun run = new TargetRun(target, claims, leases, rooms, to, this::newOwner, outages);
    running.put(target, run);
    try {
      return run.untilNothingIsLeft();
    } finally {
      running.remove(target, run);
    }
  }

  /** There may be more to deliver to the target, if it is being delivered to here. */
  void lookAgain(UUID targetId) {
    @Nullable TargetRun run = running.get(targetId);
    if (run != null) {
      run.lookAgain();
    }
  }

  /** Of each claim its own, so that who lost a lease cannot take the next one for it. */
  private String newOwner() {
    return replica.name() + "/" + lastOwner.incrementAndGet();
  }
}
