package dev.muster.platform.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGStatement;
import org.postgresql.util.PGobject;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Runs each statement of the server on empty tables, as the server does, then fills the tables.
 * What its next run reads is compared with what it reads by a plan that knows the filled tables.
 * The next run has the plan of the first, if the driver has kept it, or one that is made by
 * statistics of empty tables.
 *
 * <p>Not found are the statements of db-scheduler and Flyway, whose tables stay small.
 */
@Slow
@Tag("sql")
class StatementPlansTest {

  /** A statement with the settings before it, and with values of its parameters. */
  private record Judged(String place, List<String> settings, String sql, List<PGobject> values) {

    String positional() {
      return SampleValues.positional(sql);
    }

    /** The statement as PostgreSQL lists it. */
    String numbered() {
      int[] parameters = {0};
      return QUESTION_MARK.matcher(positional()).replaceAll(_ -> "\\$" + ++parameters[0]).strip();
    }
  }

  /** What the tables were before they are filled. */
  enum Before {
    NEW,
    /** They were filled, and all rows were deleted. */
    DRAINED
  }

  /** Tables of one row, or one for each replica or job. */
  private static final Set<String> SMALL =
      Set.of(
          "admin_token",
          "canvas_viewport",
          "control_plane_uptime",
          "event_head",
          "flyway_schema_history",
          "history_head",
          "job_runs",
          "recurring_jobs",
          "replica_reports",
          "replicas",
          "retention_jobs",
          "webhook_head",
          "workspace_tree");

  /** What may read more, and why. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "dev.muster.workspace.PeerRepository.page",
          "where roots may talk to each other, nearly all workspaces may be peers");

  /** It is judged as if the server ran it by other means, so that its plan is kept. */
  private static final String CONTROL = "SELECT name FROM workspaces WHERE id = :id";

  private static final Path SERVER = Path.of("target/classes/dev/muster");
  private static final Path ROWS = Path.of("src/test/resources/plans/filled-tables.sql");
  private static final Pattern QUESTION_MARK = Pattern.compile("\\?");

  /**
   * Prepares each statement at its first run; plans are made for any values where they are kept.
   */
  private static final String AS_AFTER_MANY_RUNS =
      "&prepareThreshold=1&preparedStatementCacheQueries=5000&preparedStatementCacheSizeMiB=100"
          + "&options=-c%20plan_cache_mode=force_generic_plan%20-c%20jit=off%20-c%20statement_timeout=10s";

  private static final Map<String, Judged> STATEMENTS = new TreeMap<>();
  private static final Map<String, String> NOT_FOUND = new TreeMap<>();
  private static final Set<String> COMPLETED_AT_RUN_TIME = new TreeSet<>();
  private static final Set<String> KEPT = new TreeSet<>();
  private static final Map<Before, Map<String, StatementPlan>> NEXT = new EnumMap<>(Before.class);
  private static final Map<String, StatementPlan> FRESH = new HashMap<>();
  private static List<String> fewRows = List.of();

  @BeforeAll
  static void runAll() throws IOException, SQLException {
    TestDatabase database = emptyTables();
    find(database);
    Set<String> empty = relations(database, "relkind = 'r' AND reltuples = 0");
    for (Before before : Before.values()) {
      if (before == Before.DRAINED) {
        drain(database, empty);
      }
      try (Connection server = server(database)) {
        runOnEmptyTables(server);
        Map<String, String> prepared = prepared(server);
        database.execute(Files.readString(ROWS));
        Map<String, StatementPlan> next = new HashMap<>();
        for (Map.Entry<String, Judged> one : STATEMENTS.entrySet()) {
          @Nullable String name = prepared.get(one.getValue().numbered());
          if (name != null) {
            KEPT.add(one.getKey());
          }
          next.put(one.getKey(), next(server, one.getValue(), name));
        }
        NEXT.put(before, next);
      }
    }
    database.execute("ANALYZE");
    try (Connection server = server(database)) {
      for (Map.Entry<String, Judged> one : STATEMENTS.entrySet()) {
        FRESH.put(one.getKey(), fresh(server, one.getValue()));
      }
    }
    fewRows =
        relations(database, "relkind = 'r' AND reltuples < 3000").stream()
            .filter(table -> !SMALL.contains(table))
            .toList();
  }

  @ParameterizedTest
  @EnumSource
  void readsLittleMoreThanByAPlanThatKnowsTheTables(Before before) {
    assertThat(
            STATEMENTS.keySet().stream()
                .filter(one -> !one.equals(CONTROL) && !EXCEPTIONS.containsKey(place(one)))
                .filter(one -> next(before, one).isMuchMoreThan(fresh(one)))
                .map(one -> described(before, one)))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void reachesEachScanThatAFreshPlanDoesWithout(Before before) {
    assertThat(
            STATEMENTS.keySet().stream()
                .filter(one -> !next(before, one).unprovenBeside(fresh(one)).isEmpty())
                .map(one -> described(before, one)))
        .as("give their parameters values with which they find rows, in SampleValues")
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void wouldSeeAPlanThatIsKept(Before before) {
    assertThat(KEPT).contains(CONTROL);
    assertThat(next(before, CONTROL).isMuchMoreThan(fresh(CONTROL))).isTrue();
  }

  @Test
  void findsAllSql() {
    assertThat(NOT_FOUND).as("neither a statement nor part of one").isEmpty();
    assertThat(COMPLETED_AT_RUN_TIME).as("keep the whole statements in fields").isEmpty();
    assertThat(STATEMENTS).hasSizeGreaterThan(300);
  }

  @Test
  void keepsThePlansOfFewStatements() {
    assertThat(KEPT.stream().map(StatementPlansTest::place))
        .containsExactlyInAnyOrder(
            "dev.muster.message.store.AppendStatement.run",
            "dev.muster.message.feed.FeedHeads.created",
            "dev.muster.message.feed.FeedMarks.read",
            "dev.muster.message.store.Completions.run",
            "dev.muster.message.store.DeliverySweepRepository.heldBy",
            "dev.muster.message.store.DeliverySweepRepository.ofDeadReplicas",
            "dev.muster.message.store.QueueRepository.canTake",
            "dev.muster.message.store.QueueRepository.claim",
            "dev.muster.message.store.WaitingTargets.page",
            "dev.muster.event.EventRepository.insert",
            "dev.muster.heartbeat.HeartbeatRepository.recordSteady",
            "dev.muster.identity.AuditRepository.insert",
            "dev.muster.identity.TokenRepository.insert",
            "dev.muster.runtime.StreamHeads.created",
            "dev.muster.workspace.RegistrationRepository.record",
            "dev.muster.workspace.StatusRepository.insert",
            "the control");
  }

  @Test
  void findsPagesOfTheQueueByIndexesInTheirOrder() {
    assertThat(freshPlansOf("dev.muster.message.queue.QueueListRepository.open"))
        .isNotEmpty()
        .allMatch(plan -> plan.contains("deliveries_by_age") || plan.contains("deliveries_held"));
    assertThat(freshPlansOf("dev.muster.message.queue.QueueListRepository.ended"))
        .isNotEmpty()
        .allMatch(plan -> plan.contains("delivery_outcomes_queued"));
  }

  @Test
  void fillsAllTables() {
    assertThat(fewRows).as("tables with few rows: add some to " + ROWS).isEmpty();
  }

  private static List<String> freshPlansOf(String place) {
    return STATEMENTS.keySet().stream()
        .filter(one -> place(one).equals(place))
        .map(one -> fresh(one).text())
        .toList();
  }

  private static String place(String statement) {
    return judged(statement).place();
  }

  private static Judged judged(String statement) {
    return requireNonNull(STATEMENTS.get(statement));
  }

  private static StatementPlan next(Before before, String statement) {
    return requireNonNull(requireNonNull(NEXT.get(before)).get(statement));
  }

  private static StatementPlan fresh(String statement) {
    return requireNonNull(FRESH.get(statement));
  }

  private static String described(Before before, String statement) {
    return "%s costs %.0f instead of %.0f:%n%s%s%ninstead of%s%n"
        .formatted(
            place(statement),
            next(before, statement).cost(),
            fresh(statement).cost(),
            judged(statement).sql(),
            next(before, statement).text(),
            fresh(statement).text());
  }

  /**
   * Nothing after this discards plans. Constraints would refuse the values with which statements
   * find rows.
   */
  private static TestDatabase emptyTables() {
    TestDatabase database = TestDatabases.create();
    database.execute(
        """
        CREATE SCHEMA sample;
        CREATE FUNCTION sample.u(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
            RETURN ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid;
        CREATE FUNCTION sample.h(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE RETURN decode(md5(n::text), 'hex');
        DO $$
        DECLARE
            statement text;
        BEGIN
            FOR statement IN
                SELECT format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname) FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                UNION ALL
                SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
                WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f')
            LOOP
                EXECUTE statement;
            END LOOP;
        END $$;
        """);
    database.execute("VACUUM ANALYZE");
    return database;
  }

  /**
   * Deletes all rows, and counts none: PostgreSQL then takes each index that it counted for empty,
   * until it counts again.
   */
  private static void drain(TestDatabase database, Set<String> tables) {
    tables.forEach(table -> database.execute("DELETE FROM " + table));
    database.execute("VACUUM ANALYZE");
    assertThat(
            relations(database, "relkind = 'i' AND relname LIKE 'deliveries%' AND reltuples > 0"))
        .containsExactly("");
  }

  private static Connection server(TestDatabase database) throws SQLException {
    Connection connection = DriverManager.getConnection(database.url() + AS_AFTER_MANY_RUNS);
    connection.setAutoCommit(false);
    return connection;
  }

  private static Set<String> relations(TestDatabase database, String condition) {
    return new TreeSet<>(
        List.of(
            database
                .value(
                    "SELECT coalesce(string_agg(relname, ','), '') FROM pg_class WHERE"
                        + " relnamespace = 'public'::regnamespace AND "
                        + condition)
                .split(",")));
  }

  private static void find(TestDatabase database) throws IOException, SQLException {
    ServerStatements found =
        new ServerStatements(SERVER, relations(database, "relkind IN ('r', 'v')"));
    COMPLETED_AT_RUN_TIME.addAll(found.completedAtRunTime());
    NOT_FOUND.putAll(found.all());
    try (Connection connection = database.connect()) {
      for (Map.Entry<String, String> text : found.passed().entrySet()) {
        try {
          STATEMENTS.put(text.getKey(), judged(connection, found, text.getKey(), text.getValue()));
        } catch (SQLException e) {
          NOT_FOUND.put(text.getKey(), text.getValue() + ": " + e.getMessage());
        }
      }
      NOT_FOUND.keySet().removeIf(text -> ServerStatements.isPartOfOne(text, STATEMENTS.keySet()));
      STATEMENTS.keySet().removeIf(text -> text.startsWith("TRUNCATE"));
      STATEMENTS.put(CONTROL, judged(connection, found, CONTROL, "the control"));
    }
  }

  /** The driver divides a text at semicolons. */
  private static Judged judged(
      Connection connection, ServerStatements found, String text, String place)
      throws SQLException {
    List<String> parts = List.of(text.split(";\n", -1));
    int at = 0;
    while (!found.names(parts.get(at))) {
      at++;
    }
    String sql = parts.get(at);
    return new Judged(place, parts.subList(0, at), sql, SampleValues.of(connection, sql));
  }

  private static PreparedStatementSetter values(Judged one) {
    return statement -> {
      for (int i = 0; i < one.values().size(); i++) {
        statement.setObject(i + 1, one.values().get(i));
      }
    };
  }

  private static void runOnEmptyTables(Connection connection) throws SQLException {
    SingleConnectionDataSource source = new SingleConnectionDataSource(connection, true);
    JdbcTemplate server = new TimelyStatements(new TimelyConnections(source), new Pooler(false));
    for (Map.Entry<String, Judged> one : STATEMENTS.entrySet()) {
      String sql = SampleValues.positional(one.getKey());
      PreparedStatementSetter values = values(one.getValue());
      try {
        if (StablePlans.has(sql)) {
          server.query(sql, values, row -> {});
        } else {
          PreparedStatementSetter setting = requireNonNull(StablePlans.keeping(sql, values));
          JdbcTemplate db = one.getKey().equals(CONTROL) ? new JdbcTemplate(source) : server;
          Boolean _ =
              db.execute(
                  sql,
                  (PreparedStatement statement) -> {
                    setting.setValues(statement);
                    return statement.execute();
                  });
        }
      } catch (DataIntegrityViolationException e) {
        // it was planned
      }
      connection.rollback();
    }
  }

  /** Returns the names of the statements that the driver has prepared. */
  private static Map<String, String> prepared(Connection connection) throws SQLException {
    Map<String, String> names = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT statement, name FROM pg_prepared_statements")) {
      while (rows.next()) {
        names.put(rows.getString(1).strip(), rows.getString(2));
      }
    }
    return names;
  }

  private static StatementPlan next(Connection connection, Judged one, @Nullable String prepared)
      throws SQLException {
    try (Statement settings = connection.createStatement()) {
      for (String setting : one.settings()) {
        boolean _ = settings.execute(setting);
      }
    }
    return prepared == null
        ? fresh(connection, one)
        : explain(
            connection, "EXECUTE \"%s\" %s".formatted(prepared, literals(one.values())), _ -> {});
  }

  private static StatementPlan fresh(Connection connection, Judged one) throws SQLException {
    return explain(connection, one.positional(), values(one));
  }

  /** Without a run, if a value would be refused, or if the run does not end. */
  private static StatementPlan explain(
      Connection connection, String statement, PreparedStatementSetter values) throws SQLException {
    try {
      return explain(connection, "ANALYZE, BUFFERS, TIMING OFF, ", statement, values);
    } catch (SQLException e) {
      connection.rollback();
      StatementPlan plan = explain(connection, "", statement, values);
      return switch (e.getSQLState().substring(0, 2)) {
        case "22", "23" -> plan;
        case "57" -> plan.withoutAnEnd();
        default -> throw new AssertionError(statement, e);
      };
    } finally {
      connection.rollback();
    }
  }

  private static StatementPlan explain(
      Connection connection, String options, String sql, PreparedStatementSetter values)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("EXPLAIN (" + options + "FORMAT JSON) " + sql)) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
      values.setValues(statement);
      try (ResultSet rows = statement.executeQuery()) {
        boolean _ = rows.next();
        return StatementPlan.of(rows.getString(1));
      }
    }
  }

  private static String literals(List<PGobject> values) {
    List<String> literals = new ArrayList<>();
    for (PGobject value : values) {
      literals.add(
          value.getValue() == null ? "NULL" : "'" + value.getValue().replace("'", "''") + "'");
    }
    return literals.isEmpty() ? "" : literals.stream().collect(Collectors.joining(", ", "(", ")"));
  }
}
