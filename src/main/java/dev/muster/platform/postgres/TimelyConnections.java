package dev.muster.platform.postgres;

import dev.muster.platform.deadline.RequestDeadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The pool, waited for no longer than the request that needs a connection has time (R1.8), and its
 * connections, whose answers are waited for no longer either.
 */
final class TimelyConnections extends DelegatingDataSource {

  /** What the pool's own time-outs add up to: for a free connection, and to find that it lives. */
  private static final Duration MAX_POOL_WAIT = Duration.ofMillis(2500);

  /** The time-out that the pool's connections have already. */
  private static final Duration MAX_ANSWER_TIME = Duration.ofSeconds(3);

  /** What is begun with less would only have the database work for nobody. */
  private static final Duration MIN_ANSWER_TIME = Duration.ofMillis(50);

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
   * Before a statement: bounds the wait for its answer by the request's deadline, on this side of
   * the wire and without a word to the database. Most requests have more time left than any
   * statement has, and pay nothing.
   *
   * @throws SQLTimeoutException when there is no time to begin anything
   */
  static void beginAnswer(Connection connection) throws SQLException {
    Duration left = RequestDeadline.capping(MAX_ANSWER_TIME);
    if (left.compareTo(MIN_ANSWER_TIME) < 0) {
      throw new SQLTimeoutException("the request's time is over");
    }
    bound(connection, left);
  }

  /** Before the end of a transaction, which has to be tried, however late it is. */
  static void beginEnd(Connection connection) throws SQLException {
    Duration left = RequestDeadline.capping(MAX_ANSWER_TIME);
    bound(connection, left.compareTo(MIN_ANSWER_TIME) < 0 ? MIN_ANSWER_TIME : left);
  }

  /** The pool takes it back. */
  private static void bound(Connection connection, Duration left) throws SQLException {
    if (left.compareTo(MAX_ANSWER_TIME) < 0) {
      connection.setNetworkTimeout(Runnable::run, (int) left.toMillis());
    }
  }

  /**
   * The pool has one time-out for all who wait. A late request, of which there are none while the
   * database is well, waits beside it; a connection that comes too late goes back.
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
