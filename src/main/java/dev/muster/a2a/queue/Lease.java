package dev.muster.a2a.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * That a message is this process's to deliver, as far as it can know: by the monotonic clock, from
 * before the statement that gave or renewed it, and with time to spare.
 */
final class Lease {

  private static final Duration SPARE = Duration.ofSeconds(5);

  private final Claimed claimed;
  private volatile long since;
  private boolean lost;
  private @Nullable Thread holder;

  Lease(Claimed claimed, long askedAtNanos) {
    this.claimed = claimed;
    this.since = askedAtNanos;
  }

  Claimed claimed() {
    return claimed;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - since);
  }

  boolean hasLapsed() {
    return age().compareTo(ClaimRepository.LEASE.minus(SPARE)) >= 0;
  }

  void renewed(long askedAtNanos) {
    since = askedAtNanos;
  }

  /** Whether this thread may begin; from then on it is interrupted when the lease is lost. */
  synchronized boolean begin() {
    if (lost || hasLapsed()) {
      return false;
    }
    holder = Thread.currentThread();
    return true;
  }

  synchronized void lose() {
    lost = true;
    interrupt();
  }

  synchronized void interrupt() {
    if (holder != null) {
      holder.interrupt();
    }
  }

  /** Whether it was held to the end; the thread is not interrupted any more. */
  synchronized boolean end() {
    holder = null;
    return !lost;
  }
}
