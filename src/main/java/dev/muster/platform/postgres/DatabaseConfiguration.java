package dev.muster.platform.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.postgres.CheckedMigrations.MigrationConnections;
import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.platform.postgres.TimelyConnections.TimelyTransactions;
import dev.muster.platform.settings.SecuritySettings;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.springframework.beans.factory.config.BeanPostProcessor;
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
  JdbcTemplate jdbcTemplate(DataSource pool, Pooler pooler) {
    return new TimelyStatements(new TimelyConnections(pool), pooler);
  }

  /**
   * Closes connections to a host that does not take writes any more, and takes from the pool,
   * behind a pooler, what does not hold there (R12.1).
   */
  @Bean
  static BeanPostProcessor poolSettings(Pooler pooler) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof HikariDataSource pool) {
          pool.setExceptionOverride(new FormerPrimary());
          if (pooler.isUsed()) {
            pool.getDataSourceProperties().remove("options");
            pool.addDataSourceProperty("prepareThreshold", "0");
          } else {
            addOptionsOfUrl(pool);
          }
        }
        return bean;
      }
    };
  }

  /** The driver would take the options of the url alone. */
  private static void addOptionsOfUrl(HikariDataSource pool) {
    @Nullable String url = pool.getJdbcUrl();
    @Nullable Properties parsed = url == null ? null : Driver.parseURL(url, null);
    @Nullable String options = parsed == null ? null : PGProperty.OPTIONS.getOrDefault(parsed);
    if (options != null) {
      pool.setJdbcUrl(url.replaceFirst("([?&])options=[^&]*&?", "$1"));
      pool.addDataSourceProperty(
          "options", options + " " + pool.getDataSourceProperties().getProperty("options", ""));
    }
  }

  @Bean
  @DependsOnDatabaseInitialization
  HotStatements hotStatements(HikariDataSource pool, Pooler pooler) {
    return new HotStatements(pool, pooler);
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
  FlywayConfigurationCustomizer migrationConnections(
      JdbcConnectionDetails database, Pooler pooler) {
    return new MigrationConnections(database, pooler);
  }

  @Bean
  @Conditional(IfEmbedded.class)
  MusterHome musterHome(SecuritySettings settings) {
    return MusterHome.open(MusterHome.folder(Optional.ofNullable(settings.home())));
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
    DatabaseAddress address = DatabaseAddress.of(environment).orElseThrow();
    return new Connection(address.url(), address.user().orElse(""), address.password().orElse(""));
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
