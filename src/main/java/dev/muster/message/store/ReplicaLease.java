package dev.muster.message.store;

import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import dev.muster.platform.work.ReplicaName;
import jakarta.annotation.PreDestroy;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Renews the lease that covers all deliveries of this replica (R7.3, R7.7). The lease is one row,
 * renewed at an interval, whatever the number of deliveries.
 *
 * <p>If another replica has deleted the lease, the next renewal inserts it again. The deliveries
 * taken over have another owner by then, and no claim is used twice.
 */
@Component
public class ReplicaLease {

  private static final String RENEW =
      """
      INSERT INTO replicas (id, name, started_at, alive_until)
      VALUES (:id, :name, statement_timestamp(), statement_timestamp() + :lease_ms * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
      """;

  private static final String DELETE = "DELETE FROM replicas WHERE id = :id";

  private final UUID id = UUID.randomUUID();
  private final JdbcClient db;
  private final String name;
  private final LeaseTimes times;
  private final LongSupplier nanoTime;
  private final AtomicLong lastClaim = new AtomicLong();
  private final Set<Long> claims = ConcurrentHashMap.newKeySet();
  private volatile long aliveUntil;
  private volatile long renewedWithoutGapSince;
  private final BackgroundLoop loop;

  @Autowired
  ReplicaLease(JdbcClient db, ReplicaName replica, Pace pace, BackgroundLoops loops) {
    this(db, replica, LeaseTimes.at(pace), System::nanoTime, loops);
  }

  ReplicaLease(
      JdbcClient db,
      ReplicaName replica,
      LeaseTimes times,
      LongSupplier nanoTime,
      BackgroundLoops loops) {
    this.db = db;
    this.name = replica.name();
    this.times = times;
    this.nanoTime = nanoTime;
    this.aliveUntil = nanoTime.getAsLong();
    renew();
    this.loop = loops.start("replica-lease", times.renewal(), this::renew);
  }

  private void renew() {
    long askedAt = nanoTime.getAsLong();
    if (askedAt - aliveUntil >= 0) {
      renewedWithoutGapSince = askedAt;
    }
    db.sql(RENEW)
        .param("id", id)
        .param("name", name)
        .param("lease_ms", times.lease().toMillis())
        .update();
    aliveUntil = askedAt + times.lease().toNanos();
  }

  public UUID owner() {
    return id;
  }

  /** Begins a new claim, which this replica holds until {@link #end}. */
  public DeliveryClaim begin() {
    long number = lastClaim.incrementAndGet();
    claims.add(number);
    return new DeliveryClaim(id, number);
  }

  /** Ends a claim, after its delivery or when none has begun. */
  public void end(DeliveryClaim claim) {
    claims.remove(claim.number());
  }

  /** Runs {@code work} with a claim that ends with this call. */
  public <T> T withClaim(Function<DeliveryClaim, T> work) {
    DeliveryClaim claim = begin();
    try {
      return work.apply(claim);
    } finally {
      end(claim);
    }
  }

  /** Whether this replica still uses the claim, or its claim statement may still run. */
  public boolean isKnown(long claim) {
    return claims.contains(claim);
  }

  /** Whether the lease lasts long enough for a delivery to begin, by this replica's clock. */
  public boolean isAlive() {
    return aliveUntil - nanoTime.getAsLong() > times.spare().toNanos();
  }

  /**
   * Whether the other replicas have had a full lease period to renew their leases. Before that,
   * after a database outage or a start, live and dead replicas are indistinguishable.
   */
  public boolean mayJudgeOthers() {
    long now = nanoTime.getAsLong();
    return aliveUntil - now > 0 && now - renewedWithoutGapSince >= times.lease().toNanos();
  }

  /** Deletes the lease; other replicas may then take over the deliveries that are still open. */
  @PreDestroy
  void close() {
    loop.close();
    try {
      db.sql(DELETE).param("id", id).update();
    } catch (RuntimeException outage) {
      // the lease lapses
    }
  }
}
