package dev.muster.platform.log;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.stereotype.Component;

/**
 * The version of this server; {@code unknown} if the build did not store it. It is also a metric,
 * to follow a roll-out.
 */
@Component
public class ServerVersion implements MeterBinder {

  private final String text;

  ServerVersion(ObjectProvider<BuildProperties> build) {
    @Nullable BuildProperties known = build.getIfAvailable();
    @Nullable String stored = known == null ? null : known.getVersion();
    this.text = stored == null ? "unknown" : stored;
  }

  public String text() {
    return text;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("muster.build.info", () -> 1)
        .description("The version that runs, as a label")
        .tag("version", text)
        .register(registry);
  }
}
