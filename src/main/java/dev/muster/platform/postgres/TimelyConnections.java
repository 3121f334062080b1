package dev.muster.platform.postgres;

import dev.muster.platform.http.RequestDeadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCreator;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.core.SqlProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.DelegatingTransactionDefinition;

/** Bounds waits for pool connections and database responses by the request's deadline (R1.8). */
final class TimelyConnections extends DelegatingDataSource {

  /** The sum of the pool's own time-outs: for a free connection, and for its validation. */
  private static final Duration MAX_POOL_WAIT = Duration.ofMillis(2500);

  /** The time-out that the pool's connections already have. */
  private static final Duration MAX_ANSWER_TIME = Duration.ofSeconds(3);

  /** The least time to begin a statement with; its result would otherwise come too late. */
  private static final Duration MIN_ANSWER_TIME = Duration.ofMillis(50);

  /**
   * Bounds each statement by the deadline of its request (R1.8), and plans it for each run unless
   * it has {@link StablePlans}.
   */
  static final class TimelyStatements extends JdbcTemplate {

    private final Pooler pooler;

    TimelyStatements(TimelyConnections connections, Pooler pooler) {
      super(connections);
      this.pooler = pooler;
    }

    @Override
    protected void applyStatementSettings(Statement statement) throws SQLException {
      super.applyStatementSettings(statement);
      StablePlans.planForEachRun(statement);
      beginAnswer(statement.getConnection());
      if (pooler.isUsed()) {
        statement.setQueryTimeout(secondsToCancel(statement.getConnection()));
      }
    }

    /**
     * Returns after how many seconds the driver cancels a statement where the database has no limit
     * for it: a second before it closes the connection, which would leave the statement running.
     */
    private static int secondsToCancel(Connection connection) throws SQLException {
      return Math.max(1, connection.getNetworkTimeout() / 1000 - 1);
    }

    @Override
    public <T extends @Nullable Object> T query(
        PreparedStatementCreator creator,
        @Nullable PreparedStatementSetter values,
        ResultSetExtractor<T> extractor) {
      @Nullable String sql = sql(creator);
      return StablePlans.has(sql)
          ? execute(creator, StablePlans.run(values, extractor))
          : super.query(creator, StablePlans.keeping(sql, values), extractor);
    }

    @Override
    protected int update(
        PreparedStatementCreator creator, @Nullable PreparedStatementSetter values) {
      return super.update(creator, StablePlans.keeping(sql(creator), values));
    }

    private static @Nullable String sql(PreparedStatementCreator creator) {
      return creator instanceof SqlProvider text ? text.getSql() : null;
    }
  }

  /**
   * Bounds COMMIT and ROLLBACK by the deadline of their request, and sets the isolation of a
   * transaction inside it: set for the connection, it would reach others behind a {@link Pooler}.
   */
  static final class TimelyTransactions extends JdbcTransactionManager {

    private static final long serialVersionUID = 1L;

    TimelyTransactions(DataSource connections) {
      super(connections);
      // Rows that are stored just before the commit may miss the deadline. Without this flag the
      // connection, returned to the pool, would commit the rest.
      setRollbackOnCommitFailure(true);
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      super.doBegin(
          transaction,
          definition.getIsolationLevel() == TransactionDefinition.ISOLATION_REPEATABLE_READ
              ? new RepeatableRead(definition)
              : definition);
    }

    @Override
    protected void prepareTransactionalConnection(
        Connection connection, TransactionDefinition definition) throws SQLException {
      super.prepareTransactionalConnection(connection, definition);
      if (definition instanceof RepeatableRead) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        }
      }
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      bound("commit", status);
      super.doCommit(status);
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
      bound("rollback", status);
      super.doRollback(status);
    }

    private void bound(String end, DefaultTransactionStatus status) {
      var transaction = (JdbcTransactionObjectSupport) status.getTransaction();
      try {
        beginEnd(transaction.getConnectionHolder().getConnection());
      } catch (SQLException e) {
        throw translateException(end, e);
      }
    }
  }

  /** Hides the isolation, which Spring would set for the connection. */
  private static final class RepeatableRead extends DelegatingTransactionDefinition {

    RepeatableRead(TransactionDefinition definition) {
      super(definition);
    }

    @Override
    public int getIsolationLevel() {
      return ISOLATION_DEFAULT;
    }
  }

  private final DataSource pool;

  TimelyConnections(DataSource pool) {
    super(pool);
    this.pool = pool;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Duration left = RequestDeadline.capping(MAX_POOL_WAIT);
    return left.equals(MAX_POOL_WAIT) ? pool.getConnection() : getWithin(left);
  }

  /**
   * Bounds the wait for a statement's response by the request's deadline.
   *
   * <p>Sets only the network time-out in this process, without a round trip. Most requests have
   * more time left than any statement needs, and skip even that.
   *
   * @throws SQLTimeoutException when less than 50 ms are left
   */
  static void beginAnswer(Connection connection) throws SQLException {
    Duration left = RequestDeadline.capping(MAX_ANSWER_TIME);
    if (left.compareTo(MIN_ANSWER_TIME) < 0) {
      throw new SQLTimeoutException("the request's time is over");
    }
    bound(connection, left);
  }

  /** Bounds a COMMIT or ROLLBACK, which runs even when the deadline has passed. */
  static void beginEnd(Connection connection) throws SQLException {
    Duration left = RequestDeadline.capping(MAX_ANSWER_TIME);
    bound(connection, left.compareTo(MIN_ANSWER_TIME) < 0 ? MIN_ANSWER_TIME : left);
  }

  /** Sets the network time-out if it is shorter than the pool's; the pool resets it later. */
  private static void bound(Connection connection, Duration left) throws SQLException {
    if (left.compareTo(MAX_ANSWER_TIME) < 0) {
      connection.setNetworkTimeout(Runnable::run, (int) left.toMillis());
    }
  }

  /**
   * Waits for a pool connection for {@code left}, on a separate thread.
   *
   * <p>The pool has one time-out for all callers, so a late request needs its own wait. Such
   * requests are rare while the database is healthy. A connection that arrives too late goes back
   * to the pool.
   */
  private Connection getWithin(Duration left) throws SQLException {
    if (left.isZero()) {
      throw new SQLTimeoutException("the request's time is over");
    }
    CompletableFuture<Connection> connection = new CompletableFuture<>();
    Thread.ofVirtual().name("late-connection").start(() -> hand(connection));
    try {
      return connection.get(left.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return orGiveUp(connection, new SQLTimeoutException("no connection within the request", e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return orGiveUp(connection, new SQLTransientConnectionException("interrupted", e));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SQLException failure
          ? failure
          : new SQLTransientConnectionException("no connection", e.getCause());
    }
  }

  private static Connection orGiveUp(CompletableFuture<Connection> connection, SQLException failure)
      throws SQLException {
    if (connection.completeExceptionally(failure)) {
      throw failure;
    }
    @Nullable Connection inTime = connection.isCompletedExceptionally() ? null : connection.join();
    if (inTime == null) {
      throw failure;
    }
    return inTime;
  }

  private void hand(CompletableFuture<Connection> waiting) {
    try {
      Connection connection = pool.getConnection();
      if (!waiting.complete(connection)) {
        connection.close();
      }
    } catch (SQLException | RuntimeException e) {
      waiting.completeExceptionally(e);
    }
  }
}
