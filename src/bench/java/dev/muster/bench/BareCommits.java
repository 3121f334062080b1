package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The minimum cost of a recorded call: one transaction that inserts a row, and one that updates it,
 * both durable; the control beside the measurement.
 */
final class BareCommits implements AutoCloseable {

  private static final int CONNECTIONS = 8;

  private final List<Connection> all = new ArrayList<>();
  private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(CONNECTIONS);

  BareCommits(String url) throws Exception {
    BenchFleet.execute(
        url, "CREATE TABLE bare (id uuid PRIMARY KEY, said text NOT NULL, answer text)");
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = DriverManager.getConnection(url);
      all.add(connection);
      idle.add(connection);
    }
  }

  /** As {@link Pace#run}. */
  List<Double> run(int perSecond, int seconds) {
    return Pace.run(perSecond, seconds, _ -> insertAndUpdate());
  }

  private void insertAndUpdate() {
    try {
      Connection connection = idle.take();
      UUID id = UUID.randomUUID();
      execute(connection, "INSERT INTO bare (said, id) VALUES (?, ?)", id);
      execute(connection, "UPDATE bare SET answer = ? WHERE id = ?", id);
      idle.add(connection);
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs in a transaction of its own. */
  private static void execute(Connection connection, String sql, UUID id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, "x".repeat(200));
      statement.setObject(2, id);
      statement.executeUpdate();
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : all) {
      connection.close();
    }
  }
}
