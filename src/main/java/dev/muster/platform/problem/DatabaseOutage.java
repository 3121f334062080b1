package dev.muster.platform.problem;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** Tells a database that cannot answer right now from a statement that is wrong. */
public final class DatabaseOutage {

  /**
   * Data exceptions, integrity violations, syntax and privileges: the statement's fault, the same
   * tomorrow.
   */
  private static final Set<String> FAULTS_OF_THE_STATEMENT = Set.of("22", "23", "42");

  private static final int MAX_CAUSES = 20;

  private DatabaseOutage() {}

  /**
   * Whether {@code failure} means "cannot tell right now" (R0.6): down, slow, restarting, or out of
   * connections.
   */
  public static boolean is(Throwable failure) {
    boolean ofTheDatabase =
        failure instanceof DataAccessException
            || failure instanceof TransactionException
            || failure instanceof SQLException;
    return ofTheDatabase && !FAULTS_OF_THE_STATEMENT.contains(sqlClass(failure));
  }

  /** Whether that is what went wrong in the first place, whatever it was wrapped in on its way. */
  public static boolean isCauseOf(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
      if (is(cause)) {
        return true;
      }
    }
    return false;
  }

  /** The first two characters of the SQLSTATE, or empty when there is none. */
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
