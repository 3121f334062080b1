package dev.muster.platform.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.commit.UnknownCommitOutcomeException;
import dev.muster.platform.problem.DatabaseOutage;
import java.util.Properties;
import java.util.function.Function;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The few statements that every message or poll needs: each a transaction by itself, prepared once
 * for each of some connections of their own, and planned once and for all, row by row along
 * indexes. With few values the planner would plan them anew for each run, which takes longer than
 * to run them; and what it planned while a table was empty would read all of it for minutes to
 * come.
 */
public final class HotStatements implements DisposableBean {

  /** One for each committer that may be at work, and one to spare. */
  private static final int CONNECTIONS = 4;

  private static final String PLANNED_ONCE =
      " -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off"
          + " -c enable_mergejoin=off";

  private final HikariDataSource connections;
  private final JdbcTemplate statements;

  /** With connections like those of the pool. */
  HotStatements(HikariDataSource pool) {
    HikariConfig config = new HikariConfig();
    pool.copyStateTo(config);
    Properties properties = new Properties();
    properties.putAll(pool.getDataSourceProperties());
    properties.merge("options", PLANNED_ONCE, (all, own) -> all + String.valueOf(own));
    properties.put("prepareThreshold", "1");
    config.setDataSourceProperties(properties);
    config.setPoolName("hot-statements");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(CONNECTIONS);
    config.setMetricsTrackerFactory(null);
    this.connections = new HikariDataSource(config);
    this.statements = new TimelyStatements(new TimelyConnections(connections));
  }

  /** Runs one statement that only reads. */
  public <R> R read(Function<JdbcTemplate, R> statement) {
    return statement.apply(statements);
  }

  /**
   * Runs one statement, which is committed when this returns. Throws {@link
   * UnknownCommitOutcomeException} when that cannot be known, and anything else when it is not.
   */
  public <R> R run(Function<JdbcTemplate, R> statement) {
    try {
      return read(statement);
    } catch (RuntimeException e) {
      throw mayBeCommitted(e) ? new UnknownCommitOutcomeException(e) : e;
    }
  }

  /** Unless the database itself said that it could not be done, or was never asked. */
  private static boolean mayBeCommitted(RuntimeException e) {
    String state = DatabaseOutage.sqlState(e);
    boolean isCut = state.isEmpty() || state.startsWith("08") || state.startsWith("57P");
    return isCut && DatabaseOutage.is(e) && !(e instanceof CannotGetJdbcConnectionException);
  }

  @Override
  public void destroy() {
    connections.close();
  }
}
