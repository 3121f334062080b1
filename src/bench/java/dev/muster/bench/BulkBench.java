package dev.muster.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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

  private static final String ADMIN_TOKEN = "the-admin-token-of-the-bench";
  private static final Duration POLL = Duration.ofMillis(20);

  private final HttpClient http = HttpClient.newHttpClient();
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
      measure(server.baseUrl() + "/admin/bulk");
    }
  }

  private void measure(String url) throws Exception {
    String pause = "{\"action\":\"pause\",\"filter\":\"\",\"expect_count\":" + fleet + "}";
    List<Double> previews = new ArrayList<>();
    List<Double> pauses = new ArrayList<>();
    List<Double> undos = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      double preview = ms(() -> send("POST", url + "?dry_run=true", pause));
      JsonNode[] run = new JsonNode[1];
      double paused = ms(() -> run[0] = ended(url, send("POST", url, pause)));
      String undo = url + "/" + run[0].path("bulk_id").asString() + "/undo";
      double undone = ms(() -> ended(url, send("POST", undo, "")));
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

  /** Waits for the end of a run, all of whose workspaces must be changed. */
  private JsonNode ended(String url, JsonNode started) throws IOException, InterruptedException {
    while (true) {
      String one = url + "/" + started.path("bulk_id").asString() + "?limit=1";
      JsonNode run = send("GET", one, "").path("run");
      if (!run.path("state").asString().equals("running")) {
        if (run.path("done").asInt() != fleet) {
          throw new IllegalStateException("not all are changed: " + run);
        }
        return run;
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private JsonNode send(String method, String url, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() >= 300) {
      throw new IllegalStateException(url + " was answered " + response.body());
    }
    return json.readTree(response.body());
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
