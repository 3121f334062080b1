package dev.muster.heartbeat;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds a batch column by column, as the arrays that {@code unnest} makes rows of again. */
final class BeatColumns {

  private final PreparedStatement statement;
  private int next;

  BeatColumns(PreparedStatement statement, int first) {
    this.statement = statement;
    this.next = first;
  }

  int next() {
    return next;
  }

  <T> void uuids(List<T> rows, Function<T, @Nullable UUID> column) throws SQLException {
    bind("uuid", rows, column);
  }

  <T> void texts(List<T> rows, Function<T, @Nullable String> column) throws SQLException {
    bind("text", rows, column);
  }

  <T> void doubles(List<T> rows, Function<T, @Nullable Double> column) throws SQLException {
    bind("float8", rows, column);
  }

  <T> void integers(List<T> rows, Function<T, @Nullable Integer> column) throws SQLException {
    bind("int4", rows, column);
  }

  <T> void longs(List<T> rows, Function<T, @Nullable Long> column) throws SQLException {
    bind("int8", rows, column);
  }

  <T> void flags(List<T> rows, Function<T, @Nullable Boolean> column) throws SQLException {
    bind("bool", rows, column);
  }

  private <T> void bind(String type, List<T> rows, Function<T, ? extends @Nullable Object> column)
      throws SQLException {
    @Nullable Object[] values = new @Nullable Object[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
  }
}
