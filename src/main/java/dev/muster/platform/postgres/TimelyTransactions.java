package dev.muster.platform.postgres;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Bounds COMMIT and ROLLBACK by the deadline of their request. */
final class TimelyTransactions extends JdbcTransactionManager {

  private static final long serialVersionUID = 1L;

  TimelyTransactions(DataSource connections) {
    super(connections);
    // Rows that are stored just before the commit may miss the deadline. Without this flag the
    // connection, returned to the pool, would commit the rest.
    setRollbackOnCommitFailure(true);
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
      TimelyConnections.beginEnd(transaction.getConnectionHolder().getConnection());
    } catch (SQLException e) {
      throw translateException(end, e);
    }
  }
}
