package dev.muster.platform.postgres;

import dev.muster.activity.FeedPlans;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the plans of {@link HotStatements} on the connections of those. */
public final class HotPlans {

  /** A scan of a plan: its kind, its table, and its index, if it has one. */
  public record Scan(String kind, String table, @Nullable String index) {}

  private static final FeedPlans.Size LARGE =
      new FeedPlans.Size(Rounds.of(10_000, 100_000), Rounds.of(100_000, 1_000_000));
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Pattern PARAMETER = Pattern.compile("\\?");

  /** Filled once, since that takes long. */
  private static final class Large {
    static final TestDatabase DATABASE = TestDatabases.create();

    static {
      FeedPlans.ofManyClasses(LARGE, DATABASE);
    }
  }

  private HotPlans() {}

  /** The tables are empty and analyzed. */
  public static TestServer emptyServer() {
    TestServer server = TestServer.start();
    server.database().execute("VACUUM ANALYZE");
    return server;
  }

  /** A server with 100,000 rows of feeds, a million in the nightly run. */
  public static TestServer largeServer() {
    return TestServer.startOn(Large.DATABASE);
  }

  /** Returns the scans of the statement's generic plan. */
  public static List<Scan> scans(TestServer server, String sql) {
    return server
        .bean(HotStatements.class)
        .run(statements ->
            statements.execute(
                (ConnectionCallback<List<Scan>>) connection -> scans(connection, sql)));
  }

  private static List<Scan> scans(Connection connection, String sql) throws SQLException {
    int[] parameters = {0};
    String numbered = PARAMETER.matcher(sql).replaceAll(_ -> "\\$" + ++parameters[0]);
    String execute =
        "EXECUTE explained (%s)"
            .formatted(String.join(", ", Collections.nCopies(parameters[0], "NULL")));
    try (Statement statement = connection.createStatement()) {
      statement.execute("PREPARE explained AS " + numbered);
      try (var plan = statement.executeQuery("EXPLAIN (COSTS OFF, FORMAT JSON) " + execute)) {
        plan.next();
        List<Scan> scans = new ArrayList<>();
        collect(JSON.readTree(plan.getString(1)).path(0).path("Plan"), scans);
        return scans;
      } finally {
        statement.execute("DEALLOCATE explained");
      }
    }
  }

  private static void collect(JsonNode node, List<Scan> scans) {
    String kind = node.path("Node Type").asString();
    if (kind.endsWith("Scan") && node.has("Relation Name")) {
      scans.add(
          new Scan(
              kind,
              node.path("Relation Name").asString(),
              node.has("Index Name") ? node.path("Index Name").asString() : null));
    }
    node.path("Plans").forEach(child -> collect(child, scans));
  }
}
