package dev.muster.platform.problem;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** Tells a database outage from a faulty statement. */
public final class DatabaseOutage {

  /**
   * Cardinality, data exceptions, integrity violations, syntax and privileges, limits such as the
   * size of an index entry, exceptions of functions: a retry cannot help.
   */
  private static final Set<String> FAULTS_OF_THE_STATEMENT =
      Set.of("21", "22", "23", "42", "54", "P0");

  /** A damaged row or index entry: other rows can be read. */
  private static final Set<String> DAMAGES = Set.of("XX001", "XX002");

  private static final int MAX_CAUSES = 20;

  private DatabaseOutage() {}

  /**
   * Returns whether {@code failure} is an outage (R0.6).
   *
   * <p>That is a database that is down, slow, restarting, or out of connections.
   */
  public static boolean is(Throwable failure) {
    boolean ofTheDatabase =
        failure instanceof DataAccessException
            || failure instanceof TransactionException
            || failure instanceof SQLException;
    return ofTheDatabase
        && !FAULTS_OF_THE_STATEMENT.contains(sqlClass(failure))
        && !DAMAGES.contains(sqlState(failure));
  }

  /**
   * Returns whether {@code failure} or one of its causes is an outage; checks 20 levels at most.
   */
  public static boolean isCauseOf(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
      if (is(cause)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first two characters of the SQLSTATE; empty when there is none. */
  public static String sqlClass(Throwable failure) {
    String state = sqlState(failure);
    return state.length() < 2 ? "" : state.substring(0, 2);
  }

  public static String sqlState(Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getSQLState();
      }
    }
    return "";
  }
}
