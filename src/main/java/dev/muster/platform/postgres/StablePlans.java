package dev.muster.platform.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.core.ResultSetExtractor;

/**
 * Makes a statement follow indexes row by row, by a plan that each connection makes once.
 *
 * <p>For the few frequent statements that take longer to plan than to run, and for those that must
 * follow one index whatever was counted. All others are planned for each run: a plan that was made
 * for an empty table would scan the full one.
 *
 * <p>On an empty table an index that is read whole costs no more than a look-up, and a join may do
 * that. So each table of such a statement is in a {@code LATERAL} subquery that ends in {@code
 * OFFSET 0} or locks, and a row to change is the one whose {@code ctid} was found there.
 *
 * <p>The settings are part of the statement and end with it. An option of the connection would be
 * lost behind a pooler.
 */
public final class StablePlans {

  private static final List<String> OTHER_WAYS =
      List.of("enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin");

  private static final List<String> OTHER_ORDERS =
      List.of("enable_sort", "enable_incremental_sort");

  private static final String NO_TABLE = "/* reads no table */ ";
  private static final String BEGIN =
      "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), "
          + settings(OTHER_WAYS, "off");
  private static final String END =
      "SELECT set_config('plan_cache_mode', 'auto', true), " + settings(OTHER_WAYS, "on");

  /**
   * Until version 17 a sort that is ruled out, and needed all the same, costs more than any plan
   * that PostgreSQL compiles.
   */
  private static final String NO_COMPILER = "set_config('jit', 'off', true)";

  private StablePlans() {}

  private static String settings(List<String> names, String value) {
    return names.stream()
        .map(name -> "set_config('%s', '%s', true)".formatted(name, value))
        .collect(Collectors.joining(", "));
  }

  /**
   * Returns the statement with its settings. It must return rows, and run by the server's own
   * {@code JdbcTemplate} or {@code JdbcClient}, which return those rows.
   */
  public static String of(String sql) {
    return String.join(";\n", BEGIN, sql, END);
  }

  /**
   * Returns as {@link #of} a statement that sorts only what no index has in the order asked for. So
   * an {@code ORDER BY} says which index is read. Without it PostgreSQL takes an index whose rows
   * were all gone when it counted them last for empty, however many it has by now.
   */
  public static String inIndexOrder(String sql) {
    return String.join(
        ";\n",
        BEGIN + ", " + settings(OTHER_ORDERS, "off") + ", " + NO_COMPILER,
        sql,
        END + ", " + settings(OTHER_ORDERS, "on"));
  }

  /**
   * Returns a statement that reads no table, such as an {@code INSERT} of values. It has one plan
   * only, which may be kept without the settings of {@link #of}.
   */
  public static String ofNoTable(String sql) {
    return NO_TABLE + sql;
  }

  /**
   * Returns what sets the values of a statement, and keeps the plan of one of {@link #ofNoTable}.
   */
  static @Nullable PreparedStatementSetter keeping(
      @Nullable String sql, @Nullable PreparedStatementSetter values) {
    if (sql == null || !sql.startsWith(NO_TABLE)) {
      return values;
    }
    return statement -> {
      keepPlan(statement);
      if (values != null) {
        values.setValues(statement);
      }
    };
  }

  /** Whether the text is one of {@link #of}. */
  static boolean has(@Nullable String sql) {
    return sql != null && sql.startsWith(BEGIN);
  }

  /** Returns what runs a text of {@link #of}, in one round trip, and reads the statement's rows. */
  static <T extends @Nullable Object> PreparedStatementCallback<T> run(
      @Nullable PreparedStatementSetter values, ResultSetExtractor<T> extractor) {
    return statement -> {
      keepPlan(statement);
      if (values != null) {
        values.setValues(statement);
      }
      statement.execute();
      statement.getMoreResults();
      try (@Nullable ResultSet rows = statement.getResultSet()) {
        if (rows == null) {
          throw new IllegalStateException("a statement of StablePlans returned a count, not rows");
        }
        return extractor.extractData(rows);
      }
    };
  }

  /** Lets the driver prepare the statement as often as the connection's settings say. */
  private static void keepPlan(PreparedStatement statement) throws SQLException {
    Connection connection = statement.getConnection();
    statement
        .unwrap(PGStatement.class)
        .setPrepareThreshold(connection.unwrap(PGConnection.class).getPrepareThreshold());
  }

  /** Makes the driver send the statement anew for each run, so that it is planned anew. */
  static void planForEachRun(Statement statement) throws SQLException {
    statement.unwrap(PGStatement.class).setPrepareThreshold(0);
  }
}
