package dev.muster.platform.postgres;

import dev.muster.platform.settings.Settings;
import org.springframework.core.env.PropertyResolver;

/** Which database this server uses: the embedded one, unless its operator names another. */
public enum DatabaseMode {
  /** A PostgreSQL of our own, in {@code MUSTER_HOME}: for one person, on loopback. */
  EMBEDDED,
  /** {@code DATABASE_URL}. */
  BY_URL,
  /** Spring's own {@code spring.datasource.url}. */
  BY_SPRING;

  public static DatabaseMode of(PropertyResolver environment) {
    Settings settings = new Settings(environment);
    if (settings.text("DATABASE_URL").isPresent()) {
      return BY_URL;
    }
    return settings.text("spring.datasource.url").isPresent() ? BY_SPRING : EMBEDDED;
  }

  public boolean isEmbedded() {
    return this == EMBEDDED;
  }
}
