package dev.muster.platform.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.stereotype.Component;

/** Exposes the version of this replica as a metric, to follow a roll-out. */
@Component
class BuildMetrics implements MeterBinder {

  private final ServerVersion version;

  BuildMetrics(ServerVersion version) {
    this.version = version;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.build.info", () -> 1)
        .description("The version that runs, as a label")
        .tag("version", version.text())
        .register(registry);
  }
}
