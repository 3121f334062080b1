package dev.muster.message.flow;

import dev.muster.message.flow.QueuedAttempts.Reaction;
import dev.muster.platform.work.Pace;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Bounds the attempts of the queue on this replica, so that agents that do not answer stop no
 * delivery to others (R7.14).
 *
 * <p>There are permits for attempts that just began, and more of them for long ones. An attempt
 * that takes longer than a second changes to one of the latter, as long as there are any. How many
 * attempts a target may have at once depends on its last one. If it answered in time, as many as it
 * has slots. If it did not, one, which takes a permit for long attempts at once. Of other targets
 * nothing is known: the fewer of these permits are free, the fewer attempts each may have. When
 * none is free, a target has one attempt at most, and a quarter of the permits for new attempts is
 * kept for targets that answered in time: however many do not answer, deliveries to those go on.
 *
 * <p>Safe for use by several threads; only {@link #awaitEnds} blocks.
 */
@Component
public final class AttemptPermits {

  /** The most attempts that just began. */
  static final int MAX_CONCURRENT = 256;

  /** The most attempts of one target, without those of results (R7.14). */
  static final int MAX_CONCURRENT_OF_A_TARGET = 32;

  private static final Duration LONG_AFTER = Duration.ofSeconds(1);

  /**
   * A target of which nothing is known may have one attempt for so many free permits, of half of
   * those for long attempts.
   */
  private static final int FREE_FOR_AN_ATTEMPT = 16;

  /** The permits for new attempts, divided by this, are kept for targets that answered in time. */
  private static final int SHARES_OF_NEW = 4;

  private static final int MAX_REMEMBERED = 10_000;

  private final int mostNew;
  private final int mostLong;
  private final long longAfterNs;

  // guarded by this
  private int longOnes;
  private final Set<Permit> ofNewOnes = new LinkedHashSet<>();

  /** How the last attempts ended, of the targets that were called last. */
  private final Map<UUID, Reaction> reactions =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Reaction> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  AttemptPermits(DeliverySlots slots, Pace pace) {
    int most = slots.mostOfQueue();
    this.mostNew = Math.min(MAX_CONCURRENT, most / 2);
    this.mostLong = most - mostNew;
    this.longAfterNs = pace.of(LONG_AFTER).toNanos();
  }

  /** Returns how many attempts can begin now. Long ones make room for new ones first. */
  public synchronized int free() {
    long now = System.nanoTime();
    var oldestFirst = ofNewOnes.iterator();
    while (oldestFirst.hasNext() && longOnes < mostLong) {
      Permit permit = oldestFirst.next();
      if (now - permit.begunAt < longAfterNs) {
        break;
      }
      oldestFirst.remove();
      longOnes++;
    }
    return mostNew - ofNewOnes.size();
  }

  /**
   * Returns how many attempts can begin now of targets that have not answered in time lately. Fewer
   * than {@link #free} while long attempts have used up their permits.
   */
  public synchronized int freeForOthers() {
    int free = free();
    return longOnes < mostLong ? free : Math.max(0, free - mostNew / SHARES_OF_NEW);
  }

  /** Returns whether the last attempt of the target was answered in time. */
  public synchronized boolean hasAnswered(UUID targetId) {
    return reactions.get(targetId) == Reaction.IN_TIME;
  }

  /** Returns how many attempts of a target may run, those that run now included. */
  public synchronized int limitOf(UUID targetId) {
    return switch (reactions.getOrDefault(targetId, Reaction.NOT_CALLED)) {
      case IN_TIME -> longOnes < mostLong ? MAX_CONCURRENT_OF_A_TARGET : 1;
      case TIMED_OUT -> longOnes < mostLong ? 1 : 0;
      case NOT_CALLED ->
          Math.clamp(
              (mostLong / 2 - longOnes) / FREE_FOR_AN_ATTEMPT, 1, MAX_CONCURRENT_OF_A_TARGET);
    };
  }

  /**
   * Begins an attempt. Only the caller of {@link #free} or {@link #freeForOthers} may, for as many
   * as that returned.
   */
  public synchronized Permit begin(UUID targetId) {
    Permit permit = new Permit(targetId, System.nanoTime());
    if (reactions.get(targetId) == Reaction.TIMED_OUT && longOnes < mostLong) {
      longOnes++;
    } else {
      ofNewOnes.add(permit);
    }
    return permit;
  }

  /** Waits until no attempt runs, at most as long as that. */
  public synchronized void awaitEnds(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      while (!ofNewOnes.isEmpty() || longOnes > 0) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The permit of one attempt. */
  public final class Permit {

    private final UUID targetId;
    private final long begunAt;

    private Permit(UUID targetId, long begunAt) {
      this.targetId = targetId;
      this.begunAt = begunAt;
    }

    /** Releases the permit, and learns what the target has shown. Call it once. */
    public void release(Reaction reaction) {
      synchronized (AttemptPermits.this) {
        if (reaction != Reaction.NOT_CALLED) {
          reactions.remove(targetId); // so that it becomes the last one
          reactions.put(targetId, reaction);
        }
        if (!ofNewOnes.remove(this)) {
          longOnes--;
        }
        AttemptPermits.this.notifyAll();
      }
    }
  }
}
