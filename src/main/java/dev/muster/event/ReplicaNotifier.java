package dev.muster.event;

import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Notifies the other replicas of committed changes, at most 20 times a second.
 *
 * <p>The first notification goes out at once; changes of the next 50 ms are merged. A notification
 * can be lost, so every receiver also polls.
 */
@Component
public class ReplicaNotifier {

  static final String CHANNEL = "muster_events";

  /** Runs in its own transaction: in the transaction of the change it would delay other commits. */
  private static final String NOTIFY = "SELECT pg_notify('" + CHANNEL + "', :text)";

  private static final Duration SEND_INTERVAL = Duration.ofMillis(50);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  /** Topics of the notifications between replicas; the names are part of the notification text. */
  public enum ReplicaTopic {
    EVENTS,
    FEEDS,
    RUNTIME
  }

  /** Receives the notifications of other replicas; implementations must return quickly. */
  public interface ReplicaNotificationListener {

    ReplicaTopic topic();

    /** Called when another replica changed rows of these ids. */
    void onNotification(Set<UUID> ids);

    /**
     * Called when rows of any id may have changed.
     *
     * <p>The notification had too many ids to list, or the connection is new and earlier
     * notifications were lost.
     */
    void onResync();
  }

  private final JdbcClient db;
  private final String self = UUID.randomUUID().toString();
  private final Object lock = new Object();
  private ReplicaNotification pending = new ReplicaNotification();
  private long sentAt = System.nanoTime() - SEND_INTERVAL.toNanos();
  private final BackgroundLoop loop;

  ReplicaNotifier(JdbcClient db, BackgroundLoops loops) {
    this.db = db;
    this.loop = loops.start("replica-notifier", RETRY_DELAY, this::sendPending);
  }

  /**
   * Notifies the other replicas that any row of {@code topic} may have changed; call it after the
   * commit.
   */
  public void send(ReplicaTopic topic) {
    synchronized (lock) {
      pending.add(topic);
    }
    loop.wake();
  }

  /** Notifies the other replicas that rows of these ids changed; call it after the commit. */
  public void send(ReplicaTopic topic, Collection<UUID> ids) {
    synchronized (lock) {
      pending.add(topic, ids);
    }
    loop.wake();
  }

  boolean isOwn(String text) {
    return ReplicaNotification.senderOf(text).equals(self);
  }

  private void sendPending() {
    if (!hasPending()) {
      return;
    }
    waitForInterval();
    sentAt = System.nanoTime();
    ReplicaNotification taken = take();
    try {
      db.sql(NOTIFY).param("text", taken.text(self)).query((row, n) -> n).list();
    } catch (RuntimeException e) {
      putBack(taken);
      throw e;
    }
  }

  private void waitForInterval() {
    long nextAt = sentAt + SEND_INTERVAL.toNanos();
    for (long left = nextAt - System.nanoTime(); left > 0; left = nextAt - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private boolean hasPending() {
    synchronized (lock) {
      return !pending.isEmpty();
    }
  }

  private ReplicaNotification take() {
    synchronized (lock) {
      ReplicaNotification taken = pending;
      pending = new ReplicaNotification();
      return taken;
    }
  }

  private void putBack(ReplicaNotification taken) {
    synchronized (lock) {
      pending.add(taken);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
