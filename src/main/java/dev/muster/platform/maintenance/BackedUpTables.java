package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables that a backup keeps, by the list {@code db/backup.txt}, and their columns. */
final class BackedUpTables {

  /** The columns that can be given, of the tables in an order in which references are met. */
  private static final String COLUMNS =
      """
      WITH RECURSIVE depths (id, depth) AS (
          SELECT oid, 0 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
          UNION
          SELECT c.conrelid, d.depth + 1 FROM depths d JOIN pg_constraint c
          ON c.contype = 'f' AND c.confrelid = d.id AND c.conrelid <> d.id AND d.depth < 20)
      SELECT t.relname, a.attname
      FROM (SELECT id, max(depth) AS depth FROM depths GROUP BY id) AS d
      JOIN pg_class t ON t.oid = d.id
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ORDER BY d.depth, t.relname, a.attnum
      """;

  private static final Set<String> KEPT = listed("kept");

  private BackedUpTables() {}

  /** Returns the tables of the list that have this word before their name. */
  static Set<String> listed(String word) {
    try (@Nullable InputStream in = BackedUpTables.class.getResourceAsStream("/db/backup.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.startsWith(word + " "))
          .map(line -> line.split(" +", 3)[1])
          .collect(Collectors.toUnmodifiableSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the columns of each kept table that is there; a table comes after those it refers to.
   */
  static Map<String, List<String>> of(Connection connection) throws SQLException {
    Map<String, List<String>> tables = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(COLUMNS)) {
      while (row.next()) {
        if (KEPT.contains(row.getString(1))) {
          tables.computeIfAbsent(row.getString(1), _ -> new ArrayList<>()).add(row.getString(2));
        }
      }
    }
    return tables;
  }

  static String columnList(List<String> columns) {
    return columns.stream()
        .map(name -> '"' + name.replace("\"", "\"\"") + '"')
        .collect(Collectors.joining(", "));
  }
}
