package dev.muster.bench;

import dev.muster.delegation.LedgerLoad;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Transitions of delegations, each with its event and, at its end, the row in its caller's feed,
 * against bare batched {@code UPDATE}s of as many rows without events and feeds, and against bare
 * statements that write the same rows: rounds interleaved, in one process, printed as a Markdown
 * table.
 *
 * <p>Arguments, all optional: delegations a round (20,000), rounds (3), callers at once (1,000).
 */
public final class LedgerBench {

  private static final int WORKSPACES = 1_000;
  private static final int ROWS_OF_AN_UPDATE = 1_000;
  private static final String RESULT = "nothing is missing";

  private static final String UPDATE =
      """
      UPDATE delegations d SET status = ?, result_preview = ?, updated_at = clock_timestamp()
      FROM unnest(?::text[]) AS m (delegation_id) WHERE d.delegation_id = m.delegation_id
      """;

  private final int delegations;
  private final int rounds;
  private final int callers;

  private LedgerBench(int delegations, int rounds, int callers) {
    this.delegations = delegations;
    this.rounds = rounds;
    this.callers = callers;
  }

  public static void main(String[] args) throws Exception {
    new LedgerBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 20_000,
            args.length > 1 ? Integer.parseInt(args[1]) : 3,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        TestServer server = TestServer.startOn(database.forTestServers())) {
      BenchFleet.seed(database.url(), WORKSPACES);
      LedgerLoad load = new LedgerLoad(server);
      round(database.url(), "warm-up", load);
      List<Double> starts = new ArrayList<>();
      List<Double> ends = new ArrayList<>();
      List<Double> all = new ArrayList<>();
      List<Double> raw = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      List<Double> bare = new ArrayList<>();
      for (int n = 0; n < rounds; n++) {
        Round round = round(database.url(), "round" + n, load);
        starts.add(delegations / round.startS());
        ends.add(delegations / round.endS());
        all.add(2 * delegations / (round.startS() + round.endS()));
        raw.add(2 * delegations / round.rawS());
        ratios.add(all.getLast() / raw.getLast());
        bare.add(2 * delegations / round.bareS());
      }
      System.out.printf(
          """
          | %,d delegations a round, %,d callers at once | |
          |---|---|
          | dispatched → in_progress, /s | %s |
          | in_progress → completed, /s | %s |
          | **transitions/s**, both in equal parts | **%s** |
          | rows/s of bare `UPDATE`s of %,d rows each | %s |
          | **ratio** | **%s** |
          | control: transitions/s of bare statements that write the same rows, %,d each | %s |
          """,
          delegations,
          callers,
          Figures.of(starts).text("%,.0f"),
          Figures.of(ends).text("%,.0f"),
          Figures.of(all).text("%,.0f"),
          ROWS_OF_AN_UPDATE,
          Figures.of(raw).text("%,.0f"),
          Figures.of(ratios).text("%.2f"),
          ROWS_OF_AN_UPDATE,
          Figures.of(bare).text("%,.0f"));
    }
  }

  private record Round(double startS, double endS, double rawS, double bareS) {}

  private Round round(String url, String name, LedgerLoad load) throws Exception {
    BenchLedger.seed(url, name, "dispatched", "6 hours", delegations);
    BenchLedger.seed(url, name + "-raw", "dispatched", "6 hours", delegations);
    BenchLedger.seed(url, name + "-bare", "dispatched", "6 hours", delegations);
    BenchFleet.execute(url, "ANALYZE delegations");
    BenchFleet.execute(url, "CHECKPOINT");
    List<String> ids = BenchLedger.ids(name, delegations);
    double starts = seconds(() -> byCallers(ids, load::start));
    double ends = seconds(() -> byCallers(ids, id -> load.complete(id, RESULT)));
    BenchFleet.execute(url, "CHECKPOINT");
    List<String> rawIds = BenchLedger.ids(name + "-raw", delegations);
    double raw =
        seconds(() -> {
          update(url, rawIds, "in_progress");
          update(url, rawIds, "completed");
        });
    BenchFleet.execute(url, "CHECKPOINT");
    List<String> bareIds = BenchLedger.ids(name + "-bare", delegations);
    double bare =
        seconds(() -> {
          BareLedger.start(url, bareIds);
          BareLedger.complete(url, bareIds);
        });
    System.out.printf(
        "%s: %.0f and %.0f transitions/s, %.0f rows/s, %.0f transitions/s of bare statements%n",
        name,
        delegations / starts,
        delegations / ends,
        2 * delegations / raw,
        2 * delegations / bare);
    return new Round(starts, ends, raw, bare);
  }

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private static double seconds(Work work) throws Exception {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private void byCallers(List<String> ids, Consumer<String> move) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        int first = caller;
        running.add(
            threads.submit(() -> {
              for (int i = first; i < ids.size(); i += callers) {
                move.accept(ids.get(i));
              }
            }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
  }

  private static void update(String url, List<String> ids, String status) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement update = connection.prepareStatement(UPDATE)) {
      for (int from = 0; from < ids.size(); from += ROWS_OF_AN_UPDATE) {
        List<String> some = ids.subList(from, Math.min(from + ROWS_OF_AN_UPDATE, ids.size()));
        update.setString(1, status);
        update.setString(2, status.equals("completed") ? RESULT : null);
        update.setArray(3, connection.createArrayOf("text", some.toArray()));
        update.executeUpdate();
      }
    }
  }
}
