package dev.muster.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * A sweep of a ledger of a million delegations with 50,000 in flight, of which 10,000 are due: how
 * long it takes, by how many statements and scans, and what beats feel of it; and the same of a
 * bare statement that writes the same rows. Rounds by turns, printed as a Markdown table.
 *
 * <p>Arguments, all optional: rounds (5), beats a second (300), rows of the ledger (1,000,000).
 */
public final class DelegationSweepBench {

  private static final int WORKSPACES = 1_000;
  private static final int IN_FLIGHT = 50_000;

  private static final int DUE = 10_000;
  private static final int ROUND_S = 5;

  /** A server's first sweeps pay for the compilers. */
  private static final int WARM_UP_SWEEPS = 8;

  private static final String STATEMENTS =
      """
      SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
      WHERE query ~ '(delegations|activity_feeds|activity_logs|INTO events)' AND query !~ 'pg_stat|GROUP BY status'
      """;

  private static final String SEQUENTIAL_SCANS =
      "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'delegations'";

  private static final String INDEX_SCANS =
      "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'delegations_in_flight'";

  /** The first ones each time, whatever they are by then. */
  private static final String MAKE_DUE =
      """
      UPDATE delegations SET status = 'in_progress', last_heartbeat = now(), error_detail = NULL,
          deadline = now() + CASE WHEN delegation_id IN (SELECT 'open-' || n FROM generate_series(1, %d) AS n)
              THEN interval '-1 second' ELSE interval '6 hours' END
      WHERE delegation_id LIKE 'open-%%'
      """
          .formatted(DUE);

  private final int rounds;
  private final int perSecond;
  private final int rows;
  private final HttpClient http = HttpClient.newHttpClient();

  private DelegationSweepBench(int rounds, int perSecond, int rows) {
    this.rounds = rounds;
    this.perSecond = perSecond;
    this.rows = rows;
  }

  public static void main(String[] args) throws Exception {
    new DelegationSweepBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 300,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("DELEGATION_SWEEPER_ENABLED", "false"))) {
      String url = database.url();
      List<String[]> fleet = BenchFleet.seed(url, WORKSPACES);
      BenchLedger.seed(url, "old", "completed", "6 hours", rows - IN_FLIGHT);
      BenchLedger.seed(url, "open", "in_progress", "6 hours", IN_FLIGHT);
      BenchFleet.execute(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
      BenchFleet.execute(url, "VACUUM ANALYZE delegations");
      measure(server, url, fleet);
    }
  }

  private void measure(BenchProcess server, String url, List<String[]> fleet) throws Exception {
    PacedRequests beats = PacedRequests.beats(server.baseUrl() + "/registry/heartbeat", fleet);
    beats.run(perSecond, 2 * ROUND_S);
    for (int n = 0; n < WARM_UP_SWEEPS; n++) {
      prepare(url);
      sweep(server);
    }
    List<Double> alone = new ArrayList<>();
    List<Double> bareAlone = new ArrayList<>();
    List<Double> statements = new ArrayList<>();
    List<Double> scans = new ArrayList<>();
    List<Double> calm = new ArrayList<>();
    List<Double> sweeping = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    List<Double> bareRatios = new ArrayList<>();
    long sequential = 0;
    for (int round = 0; round < rounds; round++) {
      prepare(url);
      long statementsBefore = value(url, STATEMENTS);
      long scansBefore = value(url, INDEX_SCANS);
      long sequentialBefore = value(url, SEQUENTIAL_SCANS);
      alone.add(sweep(server));
      statements.add((value(url, STATEMENTS) - statementsBefore) * 1000.0 / DUE);
      TimeUnit.SECONDS.sleep(1); // until the counters are told
      scans.add((double) (value(url, INDEX_SCANS) - scansBefore));
      sequential = value(url, SEQUENTIAL_SCANS) - sequentialBefore;
      prepare(url);
      bareAlone.add(bareSweep(url));
      prepare(url);
      calm.add(p99(beats.run(perSecond, ROUND_S)));
      sweeping.add(p99Beside(beats, () -> sweep(server)));
      ratios.add(sweeping.getLast() / calm.getLast());
      prepare(url);
      double calmAgain = p99(beats.run(perSecond, ROUND_S));
      double besideBare = p99Beside(beats, () -> bareSweep(url));
      bareRatios.add(besideBare / calmAgain);
      System.out.printf(
          "sweep %.0f ms, bare %.0f ms; p99 calm %.2f ms, sweeping %.2f ms; calm %.2f ms, beside"
              + " the bare statement %.2f ms%n",
          alone.getLast(),
          bareAlone.getLast(),
          calm.getLast(),
          sweeping.getLast(),
          calmAgain,
          besideBare);
    }
    System.out.printf(
        """
        | %,d delegations, %,d in flight, %,d due | |
        |---|---|
        | **sweep**, ms | **%s** |
        | control: one bare statement that writes the same rows, ms | %s |
        | statements a thousand transitions | %s |
        | scans of the index of those in flight, a batch each and the last | %s |
        | sequential scans of the ledger in a sweep | %d |
        | heartbeat p99 calm, ms, %d beats/s | %s |
        | heartbeat p99 sweeping, ms | %s |
        | **ratio** | **%s** |
        | control: the same ratio beside the bare statement | %s |
        """,
        rows,
        IN_FLIGHT,
        DUE,
        Figures.of(alone).text("%.0f"),
        Figures.of(bareAlone).text("%.0f"),
        Figures.of(statements).text("%.1f"),
        Figures.of(scans).text("%.0f"),
        sequential,
        perSecond,
        Figures.of(calm).text("%.2f"),
        Figures.of(sweeping).text("%.2f"),
        Figures.of(ratios).text("%.2f"),
        Figures.of(bareRatios).text("%.2f"));
  }

  private double p99Beside(PacedRequests beats, DoubleSupplier work) {
    CompletableFuture<Double> done =
        CompletableFuture.supplyAsync(work::getAsDouble, Thread::startVirtualThread);
    double p99 = p99(beats.run(perSecond, ROUND_S));
    done.join();
    return p99;
  }

  private static void prepare(String url) throws Exception {
    BenchFleet.execute(url, MAKE_DUE);
    BenchFleet.execute(url, "VACUUM ANALYZE delegations");
    BenchFleet.execute(url, "CHECKPOINT");
  }

  /** In milliseconds, of the request. */
  private double sweep(BenchProcess server) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/admin/delegations/sweep"))
            .header("Authorization", "Bearer the-admin-token-of-the-bench")
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    long start = System.nanoTime();
    String answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body();
    double took = (System.nanoTime() - start) / 1e6;
    System.out.println(answer);
    return took;
  }

  /** In milliseconds, of the statement. */
  private static double bareSweep(String url) {
    long start = System.nanoTime();
    try {
      BareLedger.sweep(url);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return (System.nanoTime() - start) / 1e6;
  }

  private static double p99(List<Double> sorted) {
    return sorted.get(sorted.size() * 99 / 100);
  }

  private static long value(String url, String sql) throws Exception {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
