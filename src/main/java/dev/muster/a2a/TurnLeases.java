package dev.muster.a2a;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Renews the leases of the deliveries that run on this replica, all by one statement (R7.3). */
@Component
class TurnLeases {

  private static final Duration BETWEEN_RENEWALS = Duration.ofSeconds(10);

  /** As far as this replica can know, by its own clock and with time to spare. */
  private static final Duration HELD_FOR = MessageRecords.LEASE.minusSeconds(5);

  private record Held(String owner, long untilNanos) {}

  private final Map<UUID, Held> held = new ConcurrentHashMap<>();
  private final MessageRecords records;
  private final BackgroundLoop loop;

  TurnLeases(MessageRecords records) {
    this.records = records;
    this.loop = BackgroundLoop.start("turn-leases", BETWEEN_RENEWALS, this::renew);
  }

  /** {@code owner} has just got it. */
  void hold(UUID activityId, String owner) {
    held.put(activityId, new Held(owner, System.nanoTime() + HELD_FOR.toNanos()));
  }

  boolean isHeld(UUID activityId, String owner) {
    @Nullable Held one = held.get(activityId);
    return one != null && one.owner().equals(owner) && one.untilNanos() - System.nanoTime() > 0;
  }

  void release(UUID activityId, String owner) {
    held.computeIfPresent(activityId, (id, one) -> one.owner().equals(owner) ? null : one);
  }

  private void renew() {
    Map<UUID, String> all =
        held.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().owner()));
    if (all.isEmpty()) {
      return;
    }
    long until = System.nanoTime() + HELD_FOR.toNanos();
    for (UUID renewed : records.renew(all)) {
      held.computeIfPresent(
          renewed,
          (id, one) -> one.owner().equals(all.get(id)) ? new Held(one.owner(), until) : one);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
