package dev.muster.platform.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * Sends several statements to the database in one round trip.
 *
 * <p>They run in the order they were added, and each sees the changes of those before it. After one
 * fails, none of the rest runs. For transactions of many small statements, whose time is mostly
 * round trips.
 *
 * <p>The driver splits the text at semicolons, so no statement may end in one. The driver reads
 * nothing before it has sent everything. Only the last statement may therefore return more than
 * about 100 kB: otherwise both sides may block on writing, which no time-out ends.
 */
public final class StatementPipeline {

  /** Binds the parameters of one statement. */
  @FunctionalInterface
  public interface Parameters {

    Parameters NONE = _ -> {};

    void bind(BatchColumns columns) throws SQLException;
  }

  /** Receives a statement's rows, or the number of rows it changed. */
  @FunctionalInterface
  private interface Answer {
    void take(@Nullable ResultSet rows, int changed) throws SQLException;
  }

  private record Step(String sql, Parameters parameters, Answer answer) {}

  private final JdbcTemplate db;
  private final List<Step> steps = new ArrayList<>();

  public StatementPipeline(JdbcTemplate db) {
    this.db = db;
  }

  /** Adds a statement and drops its result. */
  public void add(String sql, Parameters parameters) {
    steps.add(new Step(sql, parameters, (_, _) -> {}));
  }

  /** Adds a statement and passes the number of changed rows to {@code counted}. */
  public void update(String sql, Parameters parameters, IntConsumer counted) {
    steps.add(new Step(sql, parameters, (_, changed) -> counted.accept(changed)));
  }

  /** Adds a query; its rows are available after {@link #run}. */
  public <T> Supplier<List<T>> query(String sql, Parameters parameters, RowMapper<T> mapper) {
    Fetched<T> fetched = new Fetched<>(mapper);
    steps.add(new Step(sql, parameters, fetched));
    return fetched;
  }

  /** Runs the statements added since the last run. */
  public void run() {
    if (steps.isEmpty()) {
      return;
    }
    List<Step> all = List.copyOf(steps);
    steps.clear();
    String sql = all.stream().map(Step::sql).collect(Collectors.joining(";\n"));
    db.execute(
        (Connection connection) -> connection.prepareStatement(sql),
        (PreparedStatement statement) -> {
          run(all, statement);
          return null;
        });
  }

  private static void run(List<Step> steps, PreparedStatement statement) throws SQLException {
    var columns = new BatchColumns(statement, 1);
    for (Step step : steps) {
      step.parameters().bind(columns);
    }
    boolean hasRows = statement.execute();
    for (Step step : steps) {
      step.answer().take(hasRows ? statement.getResultSet() : null, statement.getUpdateCount());
      hasRows = statement.getMoreResults();
    }
  }

  private static final class Fetched<T> implements Answer, Supplier<List<T>> {

    private final RowMapper<T> mapper;
    private @Nullable List<T> fetched;

    Fetched(RowMapper<T> mapper) {
      this.mapper = mapper;
    }

    @Override
    public void take(@Nullable ResultSet rows, int changed) throws SQLException {
      if (rows == null) {
        throw new IllegalStateException("a query of a pipeline returned no rows, but a count");
      }
      List<T> all = new ArrayList<>();
      while (rows.next()) {
        all.add(mapper.mapRow(rows, all.size()));
      }
      fetched = all;
    }

    @Override
    public List<T> get() {
      if (fetched == null) {
        throw new IllegalStateException("the pipeline has not run yet");
      }
      return fetched;
    }
  }
}
