package dev.muster.bench;

import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Appends to feeds, which are ordered, against plain inserts of the same row, which are not, with
 * as many connections as the server has: rounds interleaved, in one process, printed as a Markdown
 * table.
 *
 * <p>Arguments, all optional: seconds a round (5), rounds (5).
 */
public final class AppendBench {

  private static final int[] FEEDS = {1, 1_000};
  private static final int[] CALLERS = {64, 256};
  private static final int CONNECTIONS = 20;

  private static final String PLAIN_TABLE =
      "CREATE TABLE plain_rows (LIKE activity_logs INCLUDING ALL)";

  private static final String PLAIN_INSERT =
      """
      INSERT INTO plain_rows (
          workspace_id, seq, class, activity_type, source, target_id, method, summary, request_body, status, message_text,
          request_bytes, listed_bytes, created_at, feed_bytes)
      VALUES (?, ?, 'c', 'a2a_receive', 'canvas_user', ?, ?, ?, ?, 'ok', ?, ?, ?, clock_timestamp(), 0)
      """;

  private static final String SUMMARY = "message/send → Reviewer";
  private static final String TEXT =
      "please have a look at the change, and say what is missing in it";
  private static final String REQUEST =
      """
      {"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","messageId":"m-1",\
      "parts":[{"kind":"text","text":"%s"}]}}}\
      """
          .formatted(TEXT);

  private final int seconds;
  private final int rounds;
  private final AtomicLong plainSeq = new AtomicLong();

  private AppendBench(int seconds, int rounds) {
    this.seconds = seconds;
    this.rounds = rounds;
  }

  public static void main(String[] args) throws Exception {
    new AppendBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 5)
        .run();
  }

  /** Writes until the round ends; returns the number of rows. */
  @FunctionalInterface
  private interface Writer {
    long write(int number, long until) throws SQLException;
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        TestServer server =
            TestServer.startOn(
                database.forTestServers(),
                "spring.datasource.hikari.maximum-pool-size=" + CONNECTIONS,
                "FEED_MAX_ROWS=" + Integer.MAX_VALUE, // no agent reads them
                "FEED_MAX_BYTES=1024GiB")) {
      List<UUID> fleet =
          BenchFleet.seed(database.url(), 1_000).stream()
              .map(agent -> UUID.fromString(agent[0]))
              .toList();
      BenchFleet.execute(database.url(), PLAIN_TABLE);
      List<List<String>> columns = new ArrayList<>();
      for (int feeds : FEEDS) {
        columns.add(
            measure(server.bean(MessageStore.class), database.url(), fleet.subList(0, feeds)));
      }
      print(columns);
    }
  }

  private List<String> measure(MessageStore store, String url, List<UUID> ids) throws Exception {
    plain(url, ids);
    appends(store, ids, CALLERS[0]);
    List<Double> plain = new ArrayList<>();
    List<List<Double>> appends = List.of(new ArrayList<>(), new ArrayList<>());
    List<List<Double>> ratios = List.of(new ArrayList<>(), new ArrayList<>());
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < CALLERS.length; i++) {
        // each with a round of plain inserts beside it
        BenchFleet.execute(url, "CHECKPOINT");
        double inserted = plain(url, ids);
        BenchFleet.execute(url, "CHECKPOINT");
        double appended = appends(store, ids, CALLERS[i]);
        System.out.printf(
            "%d feeds, %d callers: %.0f appends/s, %.0f plain inserts/s%n",
            ids.size(), CALLERS[i], appended, inserted);
        plain.add(inserted);
        appends.get(i).add(appended);
        ratios.get(i).add(appended / inserted);
      }
    }
    List<String> column = new ArrayList<>(List.of(Figures.of(plain).text("%,.0f")));
    for (int i = 0; i < CALLERS.length; i++) {
      column.add(Figures.of(appends.get(i)).text("%,.0f"));
      column.add("**" + Figures.of(ratios.get(i)).text("%.2f") + "**");
    }
    return column;
  }

  private double appends(MessageStore store, List<UUID> ids, int callers) throws Exception {
    return rate(
        callers,
        (number, until) -> {
          long count = 0;
          for (int i = number; System.nanoTime() < until; i += callers) {
            store.append(row(ids.get(i % ids.size())));
            count++;
          }
          return count;
        });
  }

  private static NewActivity row(UUID id) {
    MessageContent content = new MessageContent(TEXT, null, null, List.of());
    return NewActivity.inbound(
        id, null, "message/send", SUMMARY, new RawJson(REQUEST), content, null);
  }

  private double plain(String url, List<UUID> ids) throws Exception {
    return rate(
        CONNECTIONS,
        (number, until) -> {
          long count = 0;
          try (Connection connection = DriverManager.getConnection(url);
              PreparedStatement insert = connection.prepareStatement(PLAIN_INSERT)) {
            for (int i = number; System.nanoTime() < until; i += CONNECTIONS) {
              UUID id = ids.get(i % ids.size());
              insert.setObject(1, id);
              insert.setLong(2, plainSeq.incrementAndGet());
              insert.setObject(3, id);
              insert.setString(4, "message/send");
              insert.setString(5, SUMMARY);
              insert.setString(6, REQUEST);
              insert.setString(7, TEXT);
              insert.setInt(8, REQUEST.length());
              insert.setInt(9, 1_000);
              insert.executeUpdate();
              count++;
            }
          }
          return count;
        });
  }

  /** Rows a second. */
  private double rate(int writers, Writer writer) throws Exception {
    long start = System.nanoTime();
    long until = start + Duration.ofSeconds(seconds).toNanos();
    long rows = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> writing = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        int number = i;
        writing.add(threads.submit(() -> writer.write(number, until)));
      }
      for (Future<Long> one : writing) {
        rows += one.get();
      }
    }
    return rows / ((System.nanoTime() - start) / 1e9);
  }

  private static void print(List<List<String>> columns) {
    List<String> names =
        new ArrayList<>(List.of("plain inserts/s, " + CONNECTIONS + " connections"));
    for (int callers : CALLERS) {
      names.add("appends/s, " + callers + " callers");
      names.add("**ratio**, " + callers + " callers");
    }
    StringBuilder table = new StringBuilder("| | one feed | 1,000 feeds |\n|---|---|---|\n");
    for (int i = 0; i < names.size(); i++) {
      table.append("| ").append(names.get(i));
      for (List<String> column : columns) {
        table.append(" | ").append(column.get(i));
      }
      table.append(" |\n");
    }
    System.out.println(table);
  }
}
