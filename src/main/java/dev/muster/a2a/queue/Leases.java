package dev.muster.a2a.queue;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Renews the leases of all that this process delivers, in one statement. A lease that is another's
 * now, or could not be renewed in time, is lost: the attempt under it is interrupted.
 */
@Component
class Leases {

  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration RENEWED_EVERY = Duration.ofSeconds(20);

  private final ClaimRepository claims;
  private final Set<Lease> held = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  Leases(ClaimRepository claims) {
    this.claims = claims;
    this.loop = BackgroundLoop.start("queue-leases", TICK, this::renew);
  }

  Lease take(Claimed claimed, long askedAtNanos) {
    Lease lease = new Lease(claimed, askedAtNanos);
    held.add(lease);
    return lease;
  }

  /** Whether it was held until now. */
  boolean end(Lease lease) {
    held.remove(lease);
    return lease.end();
  }

  private void renew() {
    held.stream().filter(Lease::hasLapsed).forEach(Lease::lose);
    List<Lease> due =
        held.stream().filter(lease -> lease.age().compareTo(RENEWED_EVERY) >= 0).toList();
    if (due.isEmpty()) {
      return;
    }
    long askedAt = System.nanoTime();
    Set<UUID> renewed = claims.renew(due.stream().map(Lease::claimed).toList());
    for (Lease lease : due) {
      if (renewed.contains(lease.claimed().message().queueId())) {
        lease.renewed(askedAt);
      } else {
        lease.lose();
      }
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
