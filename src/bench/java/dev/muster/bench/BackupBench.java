package dev.muster.bench;

import dev.muster.MusterApplication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a backup of a running server costs the heartbeats of its agents: paced heartbeats, rounds
 * without and with a backup in turn, printed as a Markdown table.
 *
 * <p>Arguments, all optional: rounds of each kind (5), heartbeats a second (100), rows of feeds
 * (500,000, about 600 MB).
 */
public final class BackupBench {

  private static final int FEEDS = 1_000;
  private static final int WARM_UP_SECONDS = 15;

  private BackupBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    int perSecond = args.length > 1 ? Integer.parseInt(args[1]) : 100;
    int rows = args.length > 2 ? Integer.parseInt(args[2]) : 500_000;
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server = BenchProcess.start(database.url())) {
      List<String[]> fleet = BenchFleet.seed(database.url(), FEEDS);
      RetentionBench.fill(database.url(), rows / FEEDS);
      BenchFleet.execute(database.url(), "VACUUM ANALYZE");
      PacedRequests heartbeats =
          PacedRequests.heartbeats(server.baseUrl() + "/registry/heartbeat", fleet);
      heartbeats.run(perSecond, WARM_UP_SECONDS);
      List<Double> calm = new ArrayList<>();
      List<Double> beside = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      List<Double> seconds = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        long begin = System.nanoTime();
        Path file = database.folder().resolve("backup-" + round);
        Process backup = backup(database, file);
        double p99Beside =
            Figures.p99(
                heartbeats.timed(perSecond, _ -> backup.isAlive()).stream()
                    .map(Pace.Timed::ms)
                    .sorted()
                    .toList());
        if (backup.waitFor() != 0) {
          throw new IllegalStateException("the backup failed");
        }
        double took = (System.nanoTime() - begin) / 1e9;
        double p99Calm = Figures.p99(heartbeats.run(perSecond, (int) Math.ceil(took)));
        System.out.printf(
            "%.2f ms, calm %.2f ms; %,d bytes in %.1f s%n",
            p99Beside, p99Calm, Files.size(file), took);
        Files.delete(file);
        calm.add(p99Calm);
        beside.add(p99Beside);
        ratios.add(p99Beside / p99Calm);
        seconds.add(took);
      }
      System.out.printf(
          """
          | a backup of %,d rows, %d heartbeats/s | |
          |---|---|
          | heartbeat p99 calm, ms | %s |
          | heartbeat p99 beside the backup, ms | %s |
          | **ratio** | **%s** |
          | seconds of a backup | %s |
          """,
          rows,
          perSecond,
          Figures.of(calm).text("%.2f"),
          Figures.of(beside).text("%.2f"),
          Figures.of(ratios).text("%.2f"),
          Figures.of(seconds).text("%.1f"));
    }
  }

  private static Process backup(BenchDatabase database, Path file) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                BenchProcess.java(),
                "-classpath",
                System.getProperty("java.class.path"),
                MusterApplication.class.getName(),
                "backup",
                file.toString())
            .inheritIO();
    builder.environment().put("DATABASE_URL", database.url());
    return builder.start();
  }
}
