package dev.muster.platform.postgres;

import dev.muster.platform.settings.Settings;
import org.springframework.core.env.PropertyResolver;

/** Names the database that this server uses: embedded unless the operator names another. */
public enum DatabaseMode {
  /** The embedded PostgreSQL in {@code MUSTER_HOME}: for one person, on loopback. */
  EMBEDDED,
  /** The database of {@code DATABASE_URL}. */
  BY_URL,
  /** The database of {@code spring.datasource.url}. */
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
