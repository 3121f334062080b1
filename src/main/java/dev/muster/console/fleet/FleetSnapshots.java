package dev.muster.console.fleet;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.console.fleet.FleetReader.Snapshot;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.WholeReads;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Keeps snapshots of the fleet for 30 s, so that many consoles cost as much as one. An older
 * snapshot needs only more events: those after its {@code seq} bring it up to date.
 *
 * <p>Consoles of one audience wait for the one that makes their snapshot.
 */
@Component
class FleetSnapshots {

  private static final Duration KEPT = Duration.ofSeconds(30);
  private static final long MAX_BYTES = 64L << 20;

  private final KeptReads<FleetAudience, Snapshot> snapshots;

  FleetSnapshots(FleetReader reader, WholeReads reads) {
    this.snapshots =
        new KeptReads<>(
            reads,
            Caffeine.newBuilder()
                .expireAfterWrite(KEPT)
                .maximumWeight(MAX_BYTES)
                .weigher((FleetAudience audience, Snapshot one) -> one.answer().size())
                .build(),
            reader::read);
  }

  /** Returns the kept snapshot, or makes one for this owner. */
  Snapshot of(FleetAudience audience, Owner owner) {
    return snapshots.of(audience, owner);
  }
}
