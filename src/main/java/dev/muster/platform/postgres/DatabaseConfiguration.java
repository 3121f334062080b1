package dev.muster.platform.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.postgres.CheckedMigrations.MigrationConnections;
import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.platform.postgres.TimelyConnections.TimelyTransactions;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Configures the database connection, and bounds all statements by their request's deadline.
 *
 * <p>The embedded database stops after the pool is closed.
 */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  @Bean
  DatabaseMode databaseChoice(Environment environment) {
    return DatabaseMode.of(environment);
  }

  @Bean
  JdbcTemplate jdbcTemplate(DataSource pool) {
    return new TimelyStatements(new TimelyConnections(pool));
  }

  @Bean
  @DependsOnDatabaseInitialization
  HotStatements hotStatements(HikariDataSource pool) {
    return new HotStatements(pool);
  }

  @Bean
  JdbcTransactionManager transactionManager(
      JdbcTemplate statements, TransactionManagerCustomizers customizers) {
    var transactions = new TimelyTransactions(Objects.requireNonNull(statements.getDataSource()));
    customizers.customize(transactions);
    return transactions;
  }

  @Bean
  FlywayMigrationStrategy migrations(DataSource pool, Optional<MusterHome> home) {
    return new CheckedMigrations(pool, home.map(MusterHome::folder));
  }

  @Bean
  FlywayConfigurationCustomizer migrationConnections(JdbcConnectionDetails database) {
    return new MigrationConnections(database);
  }

  @Bean
  @Conditional(IfEmbedded.class)
  MusterHome musterHome(SecuritySettings settings) {
    @Nullable String home = settings.home();
    return MusterHome.open(
        home == null
            ? Path.of(System.getProperty("user.home"), ".muster")
            : Setting.MUSTER_HOME.parse(() -> path(home)));
  }

  @Bean
  @Conditional(IfEmbedded.class)
  EmbeddedDatabase embeddedDatabase(MusterHome home) {
    return EmbeddedDatabase.start(home);
  }

  @Bean
  @Conditional(IfEmbedded.class)
  JdbcConnectionDetails embeddedConnection(EmbeddedDatabase database) {
    return new Connection(database.jdbcUrl(), database.user(), database.password());
  }

  @Bean
  @Conditional(IfByUrl.class)
  JdbcConnectionDetails connectionByUrl(Environment environment) {
    DatabaseUrl url =
        DatabaseUrl.parse(ContractVariables.text(environment, "DATABASE_URL").orElseThrow());
    return new Connection(url.jdbcUrl(), url.user().orElse(""), url.password().orElse(""));
  }

  private static Path path(String text) {
    try {
      return Path.of(text).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("expected the path of a folder", e);
    }
  }

  private record Connection(String url, String user, String secret)
      implements JdbcConnectionDetails {

    @Override
    public String getJdbcUrl() {
      return url;
    }

    @Override
    public String getUsername() {
      return user;
    }

    @Override
    public String getPassword() {
      return secret;
    }

    @Override
    public String toString() {
      return "Connection[hidden]";
    }
  }

  static final class IfEmbedded implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return DatabaseMode.of(context.getEnvironment()) == DatabaseMode.EMBEDDED;
    }
  }

  static final class IfByUrl implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return DatabaseMode.of(context.getEnvironment()) == DatabaseMode.BY_URL;
    }
  }
}
