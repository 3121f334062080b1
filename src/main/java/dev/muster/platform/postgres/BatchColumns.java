package dev.muster.platform.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a batch of rows that a statement takes as one array for each column. It is the one
 * list of their names, types and values; the text of the statement gets its parameters and names
 * from here.
 *
 * @param <T> a row
 */
public final class BatchColumns<T> {

  /**
   * One column.
   *
   * @param parameter the parameter in the text of a statement, with its cast
   * @param type of the elements of the array
   * @param array creates an array of a length; the driver sends a {@code String[]} in binary, and
   *     an {@code Object[]} as text
   */
  private record Column<T>(
      String name,
      String parameter,
      String type,
      IntFunction<@Nullable Object[]> array,
      Function<T, ? extends @Nullable Object> value) {

    Array of(List<T> rows, Connection connection) throws SQLException {
      @Nullable Object[] values = array.apply(rows.size());
      for (int i = 0; i < values.length; i++) {
        values[i] = value.apply(rows.get(i));
      }
      return connection.createArrayOf(type, values);
    }

    <S> Column<S> of(Function<S, T> part) {
      return new Column<>(name, parameter, type, array, part.andThen(value));
    }
  }

  private final List<Column<T>> columns;

  private BatchColumns(List<Column<T>> columns) {
    this.columns = columns;
  }

  public static <T> BatchColumns<T> none() {
    return new BatchColumns<>(List.of());
  }

  /** Applies {@code part} to {@code value}; returns null for null. */
  public static <T, V> @Nullable V partOf(@Nullable T value, Function<T, @Nullable V> part) {
    return value == null ? null : part.apply(value);
  }

  /** Returns the function {@code unnest} of all columns, for a list after {@code FROM}. */
  public String unnest() {
    return columns.stream()
        .map(Column::parameter)
        .collect(Collectors.joining(", ", "unnest(", ")"));
  }

  /** Returns the names, separated by commas. */
  public String names() {
    return columns.stream().map(Column::name).collect(Collectors.joining(", "));
  }

  /**
   * Returns the parts of the arrays with the numbers {@code from} to {@code to}, under the names of
   * the columns; {@link #valuesAt} reads them. To find an element, PostgreSQL goes through those
   * before it: in a long array of texts that takes longer than all else.
   */
  public String parts(String from, String to) {
    return columns.stream()
        .map(column -> "(%s)[%s:%s] AS %s".formatted(column.parameter(), from, to, column.name()))
        .collect(Collectors.joining(", "));
  }

  /** Returns the values with the number {@code n}, which counts from 1, in the parts of a table. */
  public String valuesAt(String table, String n) {
    return columns.stream()
        .map(column -> table + "." + column.name() + "[" + n + "]")
        .collect(Collectors.joining(", "));
  }

  /** Binds the columns; returns the index of the next parameter. */
  public int bind(PreparedStatement statement, int first, List<T> rows) throws SQLException {
    int next = first;
    for (Column<T> column : columns) {
      statement.setArray(next++, column.of(rows, statement.getConnection()));
    }
    return next;
  }

  /** Returns the same columns for rows that have a {@code part} of this type. */
  public <S> BatchColumns<S> of(Function<S, T> part) {
    return new BatchColumns<>(columns.stream().map(column -> column.of(part)).toList());
  }

  public BatchColumns<T> uuid(String name, Function<T, @Nullable UUID> value) {
    return with(name, "?::uuid[]", "uuid", value);
  }

  public BatchColumns<T> text(String name, Function<T, @Nullable String> value) {
    return texts(name, "?::text[]", value);
  }

  /** Adds a number as text, in digits. */
  public BatchColumns<T> numeric(String name, Function<T, @Nullable String> value) {
    return texts(name, "?::text[]::numeric[]", value);
  }

  /** Adds a time, which is sent as text. */
  public BatchColumns<T> time(String name, Function<T, @Nullable Instant> value) {
    return texts(name, "?::timestamptz[]", row -> partOf(value.apply(row), Instant::toString));
  }

  public BatchColumns<T> decimal(String name, Function<T, @Nullable Double> value) {
    return with(name, "?::float8[]", "float8", value);
  }

  public BatchColumns<T> integer(String name, Function<T, @Nullable Integer> value) {
    return with(name, "?::integer[]", "int4", value);
  }

  public BatchColumns<T> bigint(String name, Function<T, @Nullable Long> value) {
    return with(name, "?::bigint[]", "int8", value);
  }

  public BatchColumns<T> flag(String name, Function<T, @Nullable Boolean> value) {
    return with(name, "?::boolean[]", "bool", value);
  }

  public BatchColumns<T> bytes(String name, Function<T, byte @Nullable []> value) {
    return with(new Column<>(name, "?::bytea[]", "bytea", byte[][]::new, value));
  }

  private BatchColumns<T> texts(
      String name, String parameter, Function<T, @Nullable String> value) {
    return with(new Column<>(name, parameter, "text", String[]::new, value));
  }

  private BatchColumns<T> with(
      String name, String parameter, String type, Function<T, ? extends @Nullable Object> value) {
    return with(new Column<>(name, parameter, type, Object[]::new, value));
  }

  private BatchColumns<T> with(Column<T> column) {
    return new BatchColumns<>(Stream.concat(columns.stream(), Stream.of(column)).toList());
  }
}
