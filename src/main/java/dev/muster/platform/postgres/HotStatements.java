package dev.muster.platform.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.platform.postgres.TimelyConnections.TimelyTransactions;
import dev.muster.platform.problem.DatabaseOutage;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs the few statements that every message or long poll needs, on prepared connections.
 *
 * <p>Each statement is a transaction by itself, and has {@link StablePlans} from its first run on.
 */
public final class HotStatements implements DisposableBean {

  /** One connection per running committer, and a spare one. */
  private static final int CONNECTIONS = 4;

  private final HikariDataSource connections;
  private final JdbcTemplate statements;
  private final TransactionTemplate transactions;

  /** Opens connections with the settings of the pool. */
  HotStatements(HikariDataSource pool, Pooler pooler) {
    HikariConfig config = new HikariConfig();
    pool.copyStateTo(config);
    Properties properties = new Properties();
    properties.putAll(pool.getDataSourceProperties());
    properties.putIfAbsent("prepareThreshold", "1");
    config.setDataSourceProperties(properties);
    config.setPoolName("hot-statements");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(CONNECTIONS);
    config.setMetricsTrackerFactory(null);
    this.connections = new HikariDataSource(config);
    TimelyConnections timely = new TimelyConnections(connections);
    this.statements = new TimelyStatements(timely, pooler);
    TimelyTransactions manager = new TimelyTransactions(timely);
    manager.setTransactionExecutionListeners(List.of(new CommitAttachment.Listener(statements)));
    this.transactions = new TransactionTemplate(manager);
  }

  /** Runs one read-only statement. */
  public <R> R read(Function<JdbcTemplate, R> statement) {
    return statement.apply(statements);
  }

  /**
   * Runs one statement, which is committed when this method returns, together with the {@link
   * CommitAttachment}s of this thread.
   *
   * <p>Throws {@link UnknownCommitOutcomeException} when the commit outcome is unknown. Any other
   * exception means that nothing is committed.
   */
  public <R> R run(Function<JdbcTemplate, R> statement) {
    try {
      return CommitAttachment.isAnyWaiting()
          ? transactions.execute(_ -> read(statement))
          : read(statement);
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
