package dev.muster.bench;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The effect of a liveness sweep that takes 20,000 of 50,000 workspaces offline on heartbeats of
 * the others: paced heartbeats, rounds without and with a sweep in turn, printed as a Markdown
 * table.
 *
 * <p>Arguments, all optional: seconds a round (5), rounds of each kind (5), heartbeats a second
 * (300).
 */
public final class SweepBench {

  private static final int FLEET = 50_000;
  private static final int STALE = 20_000;
  private static final int WARM_UP_ROUNDS = 3;

  private static final String OFFLINE =
      "SELECT count(*) FROM workspace_heartbeats WHERE status = 'offline'";

  /** The time between the first and the last transition of a round. */
  private static final String SWEPT_FOR_MS =
      """
      SELECT 1000 * extract(epoch FROM max(status_since) - min(status_since)) FROM workspace_heartbeats
      WHERE status = 'offline'
      """;

  private final int seconds;
  private final int rounds;
  private final int perSecond;

  private SweepBench(int seconds, int rounds, int perSecond) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.perSecond = perSecond;
  }

  public static void main(String[] args) throws Exception {
    new SweepBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 5,
            args.length > 2 ? Integer.parseInt(args[2]) : 300)
        .run();
  }

  private void run() throws Exception {
    Path folder = Files.createTempDirectory("muster-bench-");
    try (MusterHome home = MusterHome.open(folder.resolve("home"));
        EmbeddedDatabase postgres = EmbeddedDatabase.start(home)) {
      String url =
          "%s?user=%s&password=%s"
              .formatted(postgres.jdbcUrl(), postgres.user(), postgres.password());
      Map<String, String> settings =
          Map.of("LIVENESS_SWEEP_INTERVAL_S", "1", "MASS_OFFLINE_RATIO", "1");
      try (BenchProcess server = BenchProcess.start(url, settings)) {
        measure(server, url);
      }
    }
  }

  private void measure(BenchProcess server, String url) throws Exception {
    List<String[]> fleet = BenchFleet.seed(url, FLEET);
    writeStaleWorkspaces(url, fleet.subList(0, STALE));
    PacedRequests heartbeats =
        PacedRequests.heartbeats(
            server.baseUrl() + "/registry/heartbeat", fleet.subList(STALE, FLEET));
    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
      heartbeats.run(perSecond, 2 * seconds);
    }
    List<Double> calm = new ArrayList<>();
    List<Double> sweeping = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    List<Double> sweeps = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      prepare(url, "3600");
      double p99Calm = Figures.p99(heartbeats.run(perSecond, seconds));
      prepare(url, "-178"); // stale two seconds after the round begins
      List<Double> latencies = heartbeats.run(perSecond, seconds);
      sweeps.add(awaitAllOffline(url));
      double p99Sweeping = Figures.p99(latencies);
      System.out.printf("calm %.2f ms, sweeping %.2f ms%n", p99Calm, p99Sweeping);
      calm.add(p99Calm);
      sweeping.add(p99Sweeping);
      ratios.add(p99Sweeping / p99Calm);
    }
    System.out.printf(
        """
        | %,d of %,d workspaces go offline, %d beats/s | |
        |---|---|
        | heartbeat p99 calm, ms | %s |
        | heartbeat p99 sweeping, ms | %s |
        | **ratio** | **%s** |
        | first to last offline, ms | %s |
        """,
        STALE,
        FLEET,
        perSecond,
        Figures.of(calm).text("%.2f"),
        Figures.of(sweeping).text("%.2f"),
        Figures.of(ratios).text("%.2f"),
        Figures.of(sweeps).text("%.0f"));
  }

  private static void writeStaleWorkspaces(String url, List<String[]> stale) throws Exception {
    BenchFleet.execute(url, "CREATE TABLE stale_workspaces (id uuid PRIMARY KEY)");
    try (var connection = DriverManager.getConnection(url);
        var insert = connection.prepareStatement("INSERT INTO stale_workspaces VALUES (?::uuid)")) {
      connection.setAutoCommit(false);
      for (String[] agent : stale) {
        insert.setString(1, agent[0]);
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  /**
   * Gives all stale workspaces the same last heartbeat, and the control plane an uptime of a day,
   * so that the grace after a start (R5.2) spares none.
   */
  private static void prepare(String url, String secondsFromNow) throws Exception {
    BenchFleet.execute(url, "UPDATE control_plane_uptime SET up_since = now() - interval '1 day'");
    BenchFleet.execute(url, "VACUUM workspace_heartbeats");
    BenchFleet.execute(url, "CHECKPOINT");
    BenchFleet.execute(
        url,
        """
        UPDATE workspace_heartbeats SET status = 'online', last_heartbeat_at = now() + interval '%s seconds'
        WHERE workspace_id IN (SELECT id FROM stale_workspaces)
        """
            .formatted(secondsFromNow));
  }

  /** Waits for the sweep; returns its milliseconds. */
  private static double awaitAllOffline(String url) throws Exception {
    long giveUpAt = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (value(url, OFFLINE) < STALE) {
      if (System.nanoTime() > giveUpAt) {
        throw new IllegalStateException("the stale workspaces do not go offline");
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
    return value(url, SWEPT_FOR_MS);
  }

  private static double value(String url, String sql) throws Exception {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getDouble(1);
    }
  }
}
