package dev.muster.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How long a change of a whole fleet takes: its preview, a pause from the request to the last
 * workspace, and the undo of it; printed as a Markdown table.
 *
 * <p>Arguments, all optional: rounds (5), workspaces (100,000).
 */
public final class BulkBench {

  private static final Duration POLL = Duration.ofMillis(20);

  private final JsonMapper json = new JsonMapper();
  private final int rounds;
  private final int fleet;

  private BulkBench(int rounds, int fleet) {
    this.rounds = rounds;
    this.fleet = fleet;
  }

  public static void main(String[] args) throws Exception {
    new BulkBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 100_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(
                database.url(), Map.of("LIVENESS_SWEEP_INTERVAL_S", "86400", "RATE_LIMIT", "0"))) {
      BenchFleet.seed(database.url(), fleet);
      BenchFleet.execute(database.url(), "VACUUM ANALYZE");
      measure(new AdminClient(server.baseUrl()));
    }
  }

  private void measure(AdminClient admin) throws Exception {
    String pause = "{\"action\":\"pause\",\"filter\":\"\",\"expect_count\":" + fleet + "}";
    List<Double> previews = new ArrayList<>();
    List<Double> pauses = new ArrayList<>();
    List<Double> undos = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      double preview = admin.post("/admin/bulk?dry_run=true", pause).ms();
      String[] run = new String[1];
      double paused = ms(() -> run[0] = ended(admin, admin.post("/admin/bulk", pause)));
      String undo = "/admin/bulk/" + run[0] + "/undo";
      double undone = ms(() -> ended(admin, admin.post(undo, "")));
      if (round > 0) { // the first warms up
        previews.add(preview);
        pauses.add(paused / 1000);
        undos.add(undone / 1000);
      }
    }
    System.out.printf(
        """
        | %,d workspaces | |
        |---|---|
        | preview, ms | %s |
        | pause of all, s | %s |
        | its undo, s | %s |
        """,
        fleet,
        Figures.of(previews).text("%.0f"),
        Figures.of(pauses).text("%.1f"),
        Figures.of(undos).text("%.1f"));
  }

  /** Waits for the end of a run, all of whose workspaces must be changed; returns its id. */
  private String ended(AdminClient admin, AdminClient.Timed started)
      throws IOException, InterruptedException {
    String id = json.readTree(started.body()).path("bulk_id").asString();
    while (true) {
      JsonNode run =
          json.readTree(admin.get("/admin/bulk/" + id + "?limit=1", "identity").body()).path("run");
      if (!run.path("state").asString().equals("running")) {
        if (run.path("done").asInt() != fleet) {
          throw new IllegalStateException("not all are changed: " + run);
        }
        return id;
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static double ms(Work work) throws IOException, InterruptedException {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e6;
  }
}
