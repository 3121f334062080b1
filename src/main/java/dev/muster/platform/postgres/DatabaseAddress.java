package dev.muster.platform.postgres;

import dev.muster.platform.settings.ContractVariables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.springframework.core.env.PropertyResolver;

/**
 * Where a database is, and the login.
 *
 * @param setting the name of the setting that says so
 * @param url a JDBC url
 */
public record DatabaseAddress(
    String setting, String url, Optional<String> user, Optional<String> password) {

  /** Returns the address that the settings give; empty for the embedded database. */
  public static Optional<DatabaseAddress> of(PropertyResolver environment) {
    return switch (DatabaseMode.of(environment)) {
      case EMBEDDED -> Optional.empty();
      case BY_URL -> {
        DatabaseUrl url =
            DatabaseUrl.parse(ContractVariables.text(environment, "DATABASE_URL").orElseThrow());
        yield Optional.of(
            new DatabaseAddress("DATABASE_URL", url.jdbcUrl(), url.user(), url.password()));
      }
      case BY_SPRING ->
          Optional.of(
              new DatabaseAddress(
                  "spring.datasource.url",
                  ContractVariables.text(environment, "spring.datasource.url").orElseThrow(),
                  ContractVariables.text(environment, "spring.datasource.username"),
                  ContractVariables.text(environment, "spring.datasource.password")));
    };
  }

  /**
   * Returns what the driver needs for a connection, the hosts included; null where the url is not
   * PostgreSQL's.
   *
   * @param name how PostgreSQL's views name the connection
   */
  @Nullable Properties properties(String name) {
    @Nullable Properties properties = Driver.parseURL(url, null);
    if (properties != null) {
      user.ifPresent(text -> PGProperty.USER.set(properties, text));
      password.ifPresent(secret -> PGProperty.PASSWORD.set(properties, secret));
      PGProperty.APPLICATION_NAME.set(properties, name);
    }
    return properties;
  }

  /** Opens a connection of this {@link #properties name}. */
  public Connection connect(String name) throws SQLException {
    return connect(required(name));
  }

  Properties required(String name) throws SQLException {
    @Nullable Properties properties = properties(name);
    if (properties == null) {
      throw new SQLException(setting + " is not the address of a PostgreSQL database");
    }
    return properties;
  }

  /** Opens a connection with changed {@link #properties(String)}, in which its parameters are. */
  Connection connect(Properties properties) throws SQLException {
    return Objects.requireNonNull(new Driver().connect(url.split("\\?", 2)[0], properties));
  }

  /** Leaves the login and the parameters of the url out, which may be secrets. */
  @Override
  public String toString() {
    return url.replaceFirst("\\?.*", "");
  }
}
