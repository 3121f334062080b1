package dev.muster.platform.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds a batch column by column, as arrays for {@code unnest}. */
public final class BatchColumns {

  private final PreparedStatement statement;
  private int next;

  public BatchColumns(PreparedStatement statement, int first) {
    this.statement = statement;
    this.next = first;
  }

  /** Applies {@code part} to {@code value}; returns null for null. */
  public static <T, V> @Nullable V partOf(@Nullable T value, Function<T, @Nullable V> part) {
    return value == null ? null : part.apply(value);
  }

  /** Returns the index of the next parameter. */
  public int next() {
    return next;
  }

  public <T> void uuids(List<T> rows, Function<T, @Nullable UUID> column) throws SQLException {
    bind("uuid", rows, column);
  }

  /**
   * Uses a {@code String[]}, which the driver sends in binary; an {@code Object[]} is sent as text.
   */
  public <T> void texts(List<T> rows, Function<T, @Nullable String> column) throws SQLException {
    @Nullable String[] values = new String[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    statement.setArray(next++, statement.getConnection().createArrayOf("text", values));
  }

  public <T> void doubles(List<T> rows, Function<T, @Nullable Double> column) throws SQLException {
    bind("float8", rows, column);
  }

  public <T> void integers(List<T> rows, Function<T, @Nullable Integer> column)
      throws SQLException {
    bind("int4", rows, column);
  }

  public <T> void longs(List<T> rows, Function<T, @Nullable Long> column) throws SQLException {
    bind("int8", rows, column);
  }

  public <T> void flags(List<T> rows, Function<T, @Nullable Boolean> column) throws SQLException {
    bind("bool", rows, column);
  }

  public <T> void bytes(List<T> rows, Function<T, byte @Nullable []> column) throws SQLException {
    byte[] @Nullable [] values = new byte[rows.size()][];
    for (int i = 0; i < rows.size(); i++) {
      values[i] = column.apply(rows.get(i));
    }
    statement.setArray(next++, statement.getConnection().createArrayOf("bytea", values));
  }

  /** Binds instants as text; the statement must cast the parameter to {@code timestamptz[]}. */
  public <T> void times(List<T> rows, Function<T, @Nullable Instant> column) throws SQLException {
    texts(
        rows,
        row -> {
          @Nullable Instant time = column.apply(row);
          return time == null ? null : time.toString();
        });
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
