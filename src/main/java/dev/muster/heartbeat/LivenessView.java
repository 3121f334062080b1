package dev.muster.heartbeat;

import dev.muster.platform.uptime.Uptime;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response of {@code GET /admin/liveness}. */
record LivenessView(
    List<LoopView> loops, ControlPlane controlPlane, SelfPreservation selfPreservation) {

  record ControlPlane(Instant upSince, Instant aliveUntil) {

    static ControlPlane of(Uptime uptime) {
      return new ControlPlane(uptime.upSince(), uptime.aliveUntil());
    }
  }

  /** Whether the mass-offline guard currently suspends offline transitions (R5.3). */
  record SelfPreservation(boolean suspended, @Nullable Instant since, @Nullable Instant until) {

    static SelfPreservation of(Uptime uptime, LivenessSettings settings) {
      @Nullable Instant since = uptime.holdSince();
      @Nullable Instant until = since == null ? null : since.plus(settings.massOffline().hold());
      return new SelfPreservation(until != null && uptime.now().isBefore(until), since, until);
    }
  }
}
