package dev.muster.bench;

import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The effect of the retention on appends while it deletes half of a large table: paced appends,
 * rounds without and with deletion in turn, printed as a Markdown table.
 *
 * <p>Arguments, all optional: seconds a round (5), rounds of each kind (5), appends a second (200),
 * rows (2,000,000).
 */
public final class RetentionBench {

  private static final int FEEDS = 1_000;
  private static final int WARM_UP_ROUNDS = 3;

  private static final String RETENTION =
      "FROM retention_jobs WHERE task_name = 'activity-retention'";
  private static final String DUE_NOW =
      "UPDATE retention_jobs SET execution_time = now() WHERE task_name = 'activity-retention'";

  private final int seconds;
  private final int rounds;
  private final int perSecond;
  private final int rows;

  private RetentionBench(int seconds, int rounds, int perSecond, int rows) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.perSecond = perSecond;
    this.rows = rows;
  }

  public static void main(String[] args) throws Exception {
    new RetentionBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 5,
            args.length > 2 ? Integer.parseInt(args[2]) : 200,
            args.length > 3 ? Integer.parseInt(args[3]) : 2_000_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server = BenchProcess.start(database.url())) {
      measure(server, database.url());
    }
  }

  private void measure(BenchProcess server, String url) throws Exception {
    List<String[]> fleet = BenchFleet.seed(url, FEEDS);
    int ofEach = rows / FEEDS;
    fill(url, ofEach);
    BenchFleet.execute(url, "VACUUM ANALYZE");
    PacedRequests appends = PacedRequests.appends(server.baseUrl(), fleet);
    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
      appends.run(perSecond, seconds);
    }
    List<Double> calm = new ArrayList<>();
    List<Double> deleting = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    List<Double> rates = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      BenchFleet.execute(url, "CHECKPOINT");
      double p99Calm = Figures.p99(appends.run(perSecond, seconds));
      acknowledge(url, ofEach / 2, FEEDS / rounds);
      BenchFleet.execute(url, "CHECKPOINT");
      String before = value(url, "SELECT coalesce(last_success, 'epoch') " + RETENTION);
      double left = number(url, "SELECT count(*) FROM activity_logs");
      BenchFleet.execute(url, DUE_NOW);
      await(url, "SELECT picked " + RETENTION);
      long start = System.nanoTime();
      double p99Deleting = Figures.p99(appends.run(perSecond, seconds));
      double appended = (double) perSecond * seconds;
      await(url, "SELECT last_success > '%s' %s".formatted(before, RETENTION));
      double took = (System.nanoTime() - start) / 1e9;
      double rate = (left + appended - number(url, "SELECT count(*) FROM activity_logs")) / took;
      System.out.printf(
          "calm %.2f ms, deleting %.2f ms; %.0f rows/s for %.1f s%n",
          p99Calm, p99Deleting, rate, took);
      calm.add(p99Calm);
      deleting.add(p99Deleting);
      ratios.add(p99Deleting / p99Calm);
      rates.add(rate);
    }
    System.out.printf(
        """
        | %,d of %,d rows are deleted, %d appends/s | |
        |---|---|
        | append p99 calm, ms | %s |
        | append p99 deleting, ms | %s |
        | **ratio** | **%s** |
        | rows deleted/s | %s |
        """,
        rows / 2,
        rows,
        perSecond,
        Figures.of(calm).text("%.2f"),
        Figures.of(deleting).text("%.2f"),
        Figures.of(ratios).text("%.2f"),
        Figures.of(rates).text("%,.0f"));
  }

  /** The first half of each feed is older than the retention of acknowledged rows. */
  static void fill(String url, int ofEach) throws Exception {
    BenchFleet.execute(
        url,
        """
        INSERT INTO activity_logs (
            workspace_id, seq, class, activity_type, source, source_id, target_id, method, summary, request_body, status,
            message_text, request_bytes, listed_bytes, created_at, feed_bytes)
        SELECT workspace_id, seq, 'L', 'agent_log', 'self', workspace_id, NULL, 'message/send', 'a summary of some words',
            json_build_object('text', repeat(noise, 5)), 'ok', 'hello', 200, 1000, at, 1000 * (seq - 1)
        FROM (
            SELECT workspace_id, seq, md5(random()::text) AS noise,
                now() - interval '14 days' + seq * interval '14 days' / %1$d AS at
            FROM generate_series(1, %1$d) AS seq CROSS JOIN workspace_heartbeats
            ORDER BY seq) AS rows;
        UPDATE activity_feeds SET last_seq = %1$d, last_created_at = now(), total_bytes = 1000 * %1$d;
        """
            .formatted(ofEach));
  }

  /** Adds this many feeds, each with all of its old rows. */
  private static void acknowledge(String url, int seq, int feeds) throws Exception {
    BenchFleet.execute(
        url,
        """
        UPDATE activity_feeds SET last_acked_seq = %d
        WHERE workspace_id IN (
            SELECT workspace_id FROM activity_feeds WHERE last_acked_seq = 0 ORDER BY workspace_id LIMIT %d)
        """
            .formatted(seq, feeds));
  }

  private static void await(String url, String condition) throws Exception {
    long giveUpAt = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!value(url, condition).equals("t")) {
      if (System.nanoTime() > giveUpAt) {
        throw new IllegalStateException("never true: " + condition);
      }
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  private static double number(String url, String sql) throws Exception {
    return Double.parseDouble(value(url, sql));
  }

  private static String value(String url, String sql) throws Exception {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
