package dev.muster.platform.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.commit.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.platform.problem.DatabaseOutage;
import java.util.Properties;
import java.util.function.Function;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Runs the few statements that every message or long poll needs, on prepared connections.
 *
 * <p>Each statement is a transaction by itself. It is prepared once per connection and planned
 * once, row by row along indexes. Otherwise the planner would plan it again for each run, which
 * takes longer than the run. A plan made while a table was empty would also do full scans for the
 * next minutes.
 */
public final class HotStatements implements DisposableBean {

  /** One connection per running committer, and a spare one. */
  private static final int CONNECTIONS = 4;

  private static final String PLANNED_ONCE =
      " -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off"
          + " -c enable_mergejoin=off";

  private final HikariDataSource connections;
  private final JdbcTemplate statements;

  /** Opens connections with the settings of the pool. */
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

  /** Runs one read-only statement. */
  public <R> R read(Function<JdbcTemplate, R> statement) {
    return statement.apply(statements);
  }

  /**
   * Runs one statement, which is committed when this method returns.
   *
   * <p>Throws {@link UnknownCommitOutcomeException} when the commit outcome is unknown. Any other
   * exception means that nothing is committed.
   */
  public <R> R run(Function<JdbcTemplate, R> statement) {
    try {
      return read(statement);
    } catch (RuntimeException e) {
      throw mayBeCommitted(e) ? new UnknownCommitOutcomeException(e) : e;
    }
  }

  /**
   * Returns whether the connection failed, so that the statement may have committed.
   *
   * <p>False when the database rejected the statement, or no connection was available.
   */
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
