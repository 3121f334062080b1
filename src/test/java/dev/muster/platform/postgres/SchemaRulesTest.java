package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the schema, so that writes stay cheap and tables can be distributed. */
class SchemaRulesTest {

  private static final Path MAIN = Path.of("src/main/java/dev/muster");

  /** The tables of the hot paths, by the column that their rows could be distributed by. */
  private static final Map<String, String> DISTRIBUTED =
      Map.of(
          "workspace_heartbeats", "workspace_id",
          "activity_feeds", "workspace_id",
          "activity_logs", "workspace_id",
          "deliveries", "workspace_id",
          "delivery_outcomes", "workspace_id",
          "runtime_heads", "workspace_id",
          "runtime_runs", "workspace_id",
          "runtime_segments", "workspace_id",
          "runtime_output", "workspace_id");

  /** Their values change within a statement, so a replica could not run the statement again. */
  private static final Pattern VOLATILE = Pattern.compile("clock_timestamp|random\\(|nextval\\(");

  private static final Pattern WRITE =
      Pattern.compile("\\b(INSERT INTO|DELETE FROM|UPDATE \\w+( \\w+)?\\s+SET)\\b");

  private final TestDatabase database = TestServer.shared().database();

  @Test
  void hasNoTriggers() {
    assertThat(
            database.value(
                "SELECT string_agg(tgrelid::regclass || ': ' || tgname, ', ') FROM pg_trigger"
                    + " WHERE NOT tgisinternal"))
        .isEqualTo("null");
  }

  @Test
  void hasNoForeignKeysOnTablesOfTheHotPaths() {
    assertThat(
            database.value(
                """
                SELECT string_agg(conrelid::regclass || ': ' || conname, ', ') FROM pg_constraint
                WHERE contype = 'f' AND (conrelid::regclass::text = ANY ('{%1$s}') OR confrelid::regclass::text = ANY ('{%1$s}'))
                """
                    .formatted(String.join(",", DISTRIBUTED.keySet()))))
        .isEqualTo("null");
  }

  @Test
  void hasKeysThatBeginWithTheColumnToDistributeBy() {
    Map<String, String> found = new TreeMap<>();
    for (String table : DISTRIBUTED.keySet()) {
      found.put(
          table,
          database.value(
              """
              SELECT string_agg(DISTINCT a.attname, ',') FROM pg_index i
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
              WHERE i.indrelid = '%s'::regclass AND i.indisunique
              """
                  .formatted(table)));
    }
    assertThat(found).isEqualTo(new TreeMap<>(DISTRIBUTED));
  }

  /** {@code \d+} shows them to operators. */
  @Test
  void describesEachTable() {
    assertThat(tables("")).as("all tables, less that of the migrations").hasSizeGreaterThan(35);
    assertThat(tables("AND obj_description(c.oid, 'pg_class') IS NULL")).isEmpty();
  }

  /** A column by which a table has one row, as each of them says. */
  @Test
  void describesEachColumnThatKeepsATableAtOneRow() {
    assertThat(
            tables(
                """
                AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'only_row'
                    AND col_description(c.oid, a.attnum) IS NULL)
                """))
        .isEmpty();
  }

  private List<String> tables(String condition) {
    String names =
        database.value(
            """
            SELECT coalesce(string_agg(c.relname, ','), '') FROM pg_class c
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
                AND c.relname <> 'flyway_schema_history' %s
            """
                .formatted(condition));
    return names.isEmpty() ? List.of() : List.of(names.split(","));
  }

  @Test
  void isWrittenWithoutVolatileFunctions() throws IOException {
    assertThat(
            sources().stream()
                .flatMap(SchemaRulesTest::statements)
                .filter(statement ->
                    WRITE.matcher(statement).find() && VOLATILE.matcher(statement).find()))
        .isEmpty();
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(MAIN)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Every statement is a text block of its own, or a text of one line. */
  private static Stream<String> statements(Path file) {
    try {
      String source = Files.readString(file).replaceAll("(?m)^\\s*(\\*|//).*$", "");
      return Pattern.compile("\"\"\".*?\"\"\"|\"[^\"\n]+\"", Pattern.DOTALL)
          .matcher(source)
          .results()
          .map(match -> file.getFileName() + ": " + match.group());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
