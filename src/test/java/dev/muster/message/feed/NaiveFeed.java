package dev.muster.message.feed;

import dev.muster.testing.TestDatabases.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A feed without a lock, ordered by a sequence or a clock. Its readers lose rows that are committed
 * after later ones were read.
 */
final class NaiveFeed {

  /** The rows that readers by either cursor missed. */
  record Lost(long rows, long byTime, long bySequence) {}

  private static final String TABLE =
      """
      CREATE TABLE naive_feed (
          id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
          seq        bigserial UNIQUE,
          created_at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE INDEX ON naive_feed (created_at, id);
      INSERT INTO naive_feed (id, seq, created_at) VALUES ('00000000-0000-0000-0000-000000000000', 0, 'epoch')
      """;

  private static final String FIRST_ID = "00000000-0000-0000-0000-000000000000";

  private static final String BY_TIME =
      """
      SELECT id FROM naive_feed
      WHERE (created_at, id) > (SELECT created_at, id FROM naive_feed WHERE id = ?::uuid)
      ORDER BY created_at, id LIMIT 500
      """;

  private static final String BY_SEQUENCE =
      """
      SELECT id FROM naive_feed WHERE seq > (SELECT seq FROM naive_feed WHERE id = ?::uuid) ORDER BY seq LIMIT 500
      """;

  private static final Duration MAX_HOLD = Duration.ofMillis(8);

  private final TestDatabase database;
  private volatile boolean written;

  NaiveFeed(TestDatabase database) {
    this.database = database;
    database.execute(TABLE);
  }

  /** Inserts one row in each transaction, which stays open for a while as in {@link FeedOrder}. */
  Lost run(int writers, int rowsOfEach) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Long> byTime = threads.submit(() -> countRead(BY_TIME));
      Future<Long> bySequence = threads.submit(() -> countRead(BY_SEQUENCE));
      try {
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
          writing.add(threads.submit(() -> write(rowsOfEach)));
        }
        for (Future<?> one : writing) {
          one.get();
        }
      } finally {
        written = true;
      }
      long rows = (long) writers * rowsOfEach;
      return new Lost(rows, rows - byTime.get(), rows - bySequence.get());
    }
  }

  private Object write(int rows) throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO naive_feed DEFAULT VALUES")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < rows; i++) {
        insert.executeUpdate();
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_HOLD.toNanos()));
        connection.commit();
      }
      return rows;
    }
  }

  /** Counts the rows seen by a reader that continues after the last row read. */
  private long countRead(String statement) throws SQLException {
    long count = 0;
    try (Connection connection = database.connect();
        PreparedStatement next = connection.prepareStatement(statement)) {
      next.setString(1, FIRST_ID);
      boolean wasWritten;
      boolean found;
      do {
        wasWritten = written;
        found = false;
        try (ResultSet row = next.executeQuery()) {
          while (row.next()) {
            found = true;
            count++;
            next.setString(1, row.getString("id"));
          }
        }
      } while (found || !wasWritten);
    }
    return count;
  }
}
