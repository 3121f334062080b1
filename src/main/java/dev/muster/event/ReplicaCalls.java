package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Calls the other replicas when there is news: the first call at once, those of the next moment
 * together, so at most 20 a second. A call may get lost; everybody looks once in a while as well.
 */
@Component
public class ReplicaCalls {

  static final String CHANNEL = "muster_events";

  /** A transaction of its own: in that of the news it would hold up other commits. */
  private static final String CALL = "SELECT pg_notify('" + CHANNEL + "', :call)";

  private static final Duration BETWEEN_CALLS = Duration.ofMillis(50);
  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

  private final JdbcClient db;
  private final String self = UUID.randomUUID().toString();
  private final Object lock = new Object();
  private ReplicaCall pending = new ReplicaCall();
  private long calledAt = System.nanoTime() - BETWEEN_CALLS.toNanos();
  private final BackgroundLoop loop;

  ReplicaCalls(JdbcClient db) {
    this.db = db;
    this.loop = BackgroundLoop.start("replica-calls", AFTER_A_FAILURE, this::callIfAsked);
  }

  /** There is news of anything of {@code topic}; call after the commit of it. */
  public void call(ReplicaTopic topic) {
    synchronized (lock) {
      pending.add(topic);
    }
    loop.wake();
  }

  /** There is news of these; call after the commit of it. */
  public void call(ReplicaTopic topic, Collection<UUID> ids) {
    synchronized (lock) {
      pending.add(topic, ids);
    }
    loop.wake();
  }

  boolean isOwn(String call) {
    return ReplicaCall.callerOf(call).equals(self);
  }

  private void callIfAsked() {
    if (!isAsked()) {
      return;
    }
    waitForTurn();
    calledAt = System.nanoTime();
    ReplicaCall taken = take();
    try {
      db.sql(CALL).param("call", taken.text(self)).query((row, n) -> n).list();
    } catch (RuntimeException e) {
      putBack(taken);
      throw e;
    }
  }

  private void waitForTurn() {
    long turn = calledAt + BETWEEN_CALLS.toNanos();
    for (long left = turn - System.nanoTime(); left > 0; left = turn - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private boolean isAsked() {
    synchronized (lock) {
      return !pending.isEmpty();
    }
  }

  private ReplicaCall take() {
    synchronized (lock) {
      ReplicaCall taken = pending;
      pending = new ReplicaCall();
      return taken;
    }
  }

  private void putBack(ReplicaCall taken) {
    synchronized (lock) {
      pending.add(taken);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
