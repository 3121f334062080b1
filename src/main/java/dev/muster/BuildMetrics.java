package dev.muster;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.stereotype.Component;

/** Exposes the version of this replica as a metric, to follow a roll-out. */
@Component
class BuildMetrics implements MeterBinder {

  private final ObjectProvider<BuildProperties> build;

  BuildMetrics(ObjectProvider<BuildProperties> build) {
    this.build = build;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    BuildProperties known = build.getIfAvailable();
    String version = known == null ? null : known.getVersion();
    Gauge.builder("muster.build.info", () -> 1)
        .description("The version that runs, as a label")
        .tag("version", version == null ? "unknown" : version)
        .register(registry);
  }
}
