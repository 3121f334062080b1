package dev.muster.platform.postgres;

import dev.muster.platform.settings.ContractVariables;
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
    if (ContractVariables.text(environment, "DATABASE_URL").isPresent()) {
      return BY_URL;
    }
    return ContractVariables.text(environment, "spring.datasource.url").isPresent()
        ? BY_SPRING
        : EMBEDDED;
  }

  public boolean isEmbedded() {
    return this == EMBEDDED;
  }
}
