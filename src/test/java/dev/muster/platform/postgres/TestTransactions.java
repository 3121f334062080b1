package dev.muster.platform.postgres;

import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of a test without a server. */
public final class TestTransactions {

  private TestTransactions() {}

  public static CommitAwareTransactions of(DataSource database) {
    return new CommitAwareTransactions(
        new TransactionTemplate(new JdbcTransactionManager(database)));
  }
}
