package dev.muster.platform.metrics;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.stereotype.Component;

/** The version of this server; {@code unknown} if the build did not store it. */
@Component
public class ServerVersion {

  private final String text;

  ServerVersion(ObjectProvider<BuildProperties> build) {
    @Nullable BuildProperties known = build.getIfAvailable();
    @Nullable String stored = known == null ? null : known.getVersion();
    this.text = stored == null ? "unknown" : stored;
  }

  public String text() {
    return text;
  }
}
