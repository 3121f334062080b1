package dev.muster.heartbeat;

import dev.muster.heartbeat.LivenessController.LivenessView;
import dev.muster.platform.uptime.ControlPlaneUptime;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Exports whether the mass-offline guard suspends offline transitions (R5.3), as 1 or 0.
 *
 * <p>It reads the database at each scrape, so that all replicas report the same value.
 */
@Component
class LivenessGauge implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(LivenessGauge.class);

  private final ControlPlaneUptime uptime;
  private final LivenessSettings settings;

  LivenessGauge(ControlPlaneUptime uptime, LivenessSettings settings) {
    this.uptime = uptime;
    this.settings = settings;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.liveness.suspended", this::suspended)
        .description("1 while no workspace goes offline, since too many became stale at once")
        .register(registry);
  }

  private double suspended() {
    try {
      return LivenessView.SelfPreservation.of(uptime.read(), settings).suspended() ? 1 : 0;
    } catch (RuntimeException e) {
      log.debug("whether liveness is suspended could not be read", e);
      return Double.NaN;
    }
  }
}
