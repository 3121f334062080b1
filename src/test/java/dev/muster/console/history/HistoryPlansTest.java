package dev.muster.console.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The fleet at a time, and the changes between two, read the status periods of that time, however
 * many are kept.
 */
@Slow
@Tag("sql")
class HistoryPlansTest {

  private static final int FLEET = Rounds.of(100, 1_000);
  private static final int CHANGES_OF_A_DAY = 10 * FLEET;

  /** Thirty days, in which each workspace changes ten times a day; written as the job writes. */
  private static final String PERIODS =
      """
      CREATE TEMPORARY TABLE periods AS
      SELECT md5(w::text)::uuid AS id, w, k, now() - interval '30 days' + (k + w / %1$d.0) * interval '144 minutes' AS since
      FROM generate_series(1, %1$d) AS w, generate_series(0, 299) AS k;
      INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status)
      SELECT id, since, k, since + interval '144 minutes', CASE WHEN k > 0 THEN 'online' END, 'online'
      FROM periods WHERE k < 299 ORDER BY since + interval '144 minutes';
      INSERT INTO open_status_periods (workspace_id, since, seq, previous, status)
      SELECT id, since, k, 'online', 'online' FROM periods WHERE k = 299
      """
          .formatted(FLEET);

  /** A row is found by a few steps in an index, and a page has many of them. */
  private static final int BLOCKS_OF_A_ROW = 2;

  private static final TestDatabase DATABASE = TestDatabases.create();

  @BeforeAll
  static void fill() {
    Flyway.configure().dataSource(DATABASE.url(), null, null).load().migrate();
    DATABASE.execute(PERIODS);
    DATABASE.execute("VACUUM ANALYZE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void readsOnlyThePeriodsOfATime(String mode) throws SQLException {
    JsonNode plan =
        explain(
            PastFleet.AT,
            mode,
            List.of("at", "to"),
            "now() - interval '12.5 days', now() - interval '11.5 days'");

    assertThat(indexes(plan)).contains("ended_status_periods_at", "ended_status_periods_first");
    check(plan, FLEET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void readsOnlyTheChangesOfADay(String mode) throws SQLException {
    JsonNode plan =
        explain(
            PastFleet.CHANGES.replace(":most", "500001"),
            mode,
            List.of("from", "to"),
            "now() - interval '12.5 days', now() - interval '11.5 days'");

    assertThat(indexes(plan)).contains("ended_status_periods_since");
    check(plan, CHANGES_OF_A_DAY);
  }

  private static void check(JsonNode plan, int rows) {
    String text = plan.toPrettyString();
    assertThat(nodes(plan).filter(HistoryPlansTest::readsAllPeriods)).as(text).isEmpty();
    assertThat(plan.path("Actual Rows").asDouble()).as(text).isBetween(rows * 0.9, rows * 1.1);
    assertThat(plan.path("Shared Hit Blocks").asLong() + plan.path("Shared Read Blocks").asLong())
        .as(text)
        .isLessThan((long) BLOCKS_OF_A_ROW * rows);
  }

  private static boolean readsAllPeriods(JsonNode node) {
    return node.path("Node Type").asString().equals("Seq Scan")
        && node.path("Relation Name").asString().equals("ended_status_periods");
  }

  private static List<String> indexes(JsonNode plan) {
    return nodes(plan).map(node -> node.path("Index Name").asString("")).distinct().toList();
  }

  private static Stream<JsonNode> nodes(JsonNode node) {
    return Stream.concat(
        Stream.of(node), node.path("Plans").valueStream().flatMap(HistoryPlansTest::nodes));
  }

  /** Explains a statement whose parameters are times. */
  private static JsonNode explain(String sql, String mode, List<String> names, String values)
      throws SQLException {
    String numbered = sql;
    for (String name : names) {
      numbered = numbered.replaceAll("(?<!:):" + name + "\\b", "\\$" + (1 + names.indexOf(name)));
    }
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET plan_cache_mode = " + mode);
      statement.execute("SET jit = off");
      statement.execute("PREPARE reading (timestamptz, timestamptz) AS " + numbered);
      try (var rows =
          statement.executeQuery(
              "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE reading ("
                  + values
                  + ")")) {
        rows.next();
        return JsonMapper.shared().readTree(rows.getString(1)).path(0).path("Plan");
      }
    }
  }
}
