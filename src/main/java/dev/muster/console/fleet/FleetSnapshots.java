package dev.muster.console.fleet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.console.fleet.FleetReader.Snapshot;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.stereotype.Component;

/**
 * Keeps snapshots of the fleet for 30 s, so that many consoles cost as much as one. An older
 * snapshot needs only more events: those after its {@code seq} bring it up to date.
 *
 * <p>One snapshot is made at a time, since each reads every workspace.
 */
@Component
class FleetSnapshots {

  private static final Duration KEPT = Duration.ofSeconds(30);
  private static final long MAX_BYTES = 64L << 20;

  /** Leaves time to respond within the deadline of a request. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(4);

  private final FleetReader reader;
  private final ReentrantLock oneAtATime = new ReentrantLock();
  private final Cache<FleetAudience, Snapshot> kept =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MAX_BYTES)
          .weigher((FleetAudience audience, Snapshot one) -> one.answer().size())
          .build();

  FleetSnapshots(FleetReader reader) {
    this.reader = reader;
  }

  /** Returns the kept snapshot, or makes one; refuses with {@code UNAVAILABLE} after 4 s. */
  Snapshot of(FleetAudience audience) {
    Snapshot found = kept.getIfPresent(audience);
    return found == null ? make(audience) : found;
  }

  private Snapshot make(FleetAudience audience) {
    try {
      if (!oneAtATime.tryLock(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw ProblemException.unavailable(
            "other snapshots of the fleet are being made; try again in a few seconds");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("the server is shutting down");
    }
    try {
      return Objects.requireNonNull(kept.get(audience, reader::read));
    } finally {
      oneAtATime.unlock();
    }
  }
}
