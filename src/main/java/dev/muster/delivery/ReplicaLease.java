package dev.muster.delivery;

import dev.muster.platform.jobs.ReplicaName;
import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The lease of this replica, by which all of its deliveries are its own: one row, renewed every few
 * seconds, however many deliveries are under way (R7.3, R7.7).
 *
 * <p>A lease that another replica has taken away is simply begun again: what that replica took over
 * has another owner by then, and no claim is ever used twice.
 */
@Component
class ReplicaLease {

  static final Duration LEASE = Duration.ofSeconds(25);
  static final Duration RENEWAL_INTERVAL = Duration.ofSeconds(5);

  /** Nothing is begun with less: a call that lasts longer may be another's by its end. */
  private static final Duration SPARE = Duration.ofSeconds(5);

  private static final String RENEW =
      """
      INSERT INTO replicas (id, name, started_at, alive_until)
      VALUES (:id, :name, statement_timestamp(), statement_timestamp() + interval '25 seconds')
      ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
      """;

  private static final String DELETE = "DELETE FROM replicas WHERE id = :id";

  private final UUID id = UUID.randomUUID();
  private final JdbcClient db;
  private final String name;
  private final AtomicLong lastClaim = new AtomicLong();
  private final Set<Long> claims = ConcurrentHashMap.newKeySet();
  private volatile long aliveUntil;
  private volatile long renewedWithoutGapSince;
  private final BackgroundLoop loop;

  ReplicaLease(JdbcClient db, ReplicaName replica) {
    this.db = db;
    this.name = replica.name();
    this.aliveUntil = System.nanoTime();
    renew();
    this.loop = BackgroundLoop.start("replica-lease", RENEWAL_INTERVAL, this::renew);
  }

  private void renew() {
    long askedAt = System.nanoTime();
    if (askedAt - aliveUntil >= 0) {
      renewedWithoutGapSince = askedAt;
    }
    db.sql(RENEW).param("id", id).param("name", name).update();
    aliveUntil = askedAt + LEASE.toNanos();
  }

  UUID owner() {
    return id;
  }

  /** A new claim, which is this replica's until {@link #end}. */
  DeliveryClaim begin() {
    long number = lastClaim.incrementAndGet();
    claims.add(number);
    return new DeliveryClaim(id, number);
  }

  /** The delivery is over, or was never begun. */
  void end(DeliveryClaim claim) {
    claims.remove(claim.number());
  }

  /** For what is done within one call. */
  <T> T withClaim(Function<DeliveryClaim, T> work) {
    DeliveryClaim claim = begin();
    try {
      return work.apply(claim);
    } finally {
      end(claim);
    }
  }

  /** Whether this replica still works on it, or may get it yet. */
  boolean isKnown(long claim) {
    return claims.contains(claim);
  }

  /** As far as this replica can know, by its own clock and with time to spare. */
  boolean isAlive() {
    return aliveUntil - System.nanoTime() > SPARE.toNanos();
  }

  /**
   * Whether the others had as long as a lease to renew theirs: after an outage of the database, or
   * a start, no replica can be told from a dead one before that.
   */
  boolean mayJudgeOthers() {
    long now = System.nanoTime();
    return aliveUntil - now > 0 && now - renewedWithoutGapSince >= LEASE.toNanos();
  }

  /** Last of all: what is still open is the others' then. */
  @PreDestroy
  void close() {
    loop.close();
    try {
      db.sql(DELETE).param("id", id).update();
    } catch (RuntimeException outage) {
      // it lapses
    }
  }
}
