package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.stereotype.Component;

/** Hears the calls of other replicas, on a connection of its own, and wakes the publisher. */
@Component
class ReplicaListener {

  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  /** After so long a silence the connection is tried: a wire can be cut without a sound. */
  private static final int LONGEST_SILENCE_MILLIS = 10_000;

  private final JdbcConnectionDetails database;
  private final ReplicaCalls calls;
  private final EventPublisher publisher;
  private final BackgroundLoop loop;
  private volatile @Nullable Connection listening;
  private volatile boolean closed;

  ReplicaListener(JdbcConnectionDetails database, ReplicaCalls calls, EventPublisher publisher) {
    this.database = database;
    this.calls = calls;
    this.publisher = publisher;
    this.loop = BackgroundLoop.start("replica-listener", BETWEEN_TRIES, this::listen);
  }

  /** Until the connection fails, or for ever. */
  private void listen() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      listening = connection;
      statement.execute("LISTEN " + ReplicaCalls.CHANNEL);
      publisher.wake();
      PGConnection notified = connection.unwrap(PGConnection.class);
      while (!closed) {
        var heard = notified.getNotifications(LONGEST_SILENCE_MILLIS);
        if (heard.length == 0) {
          statement.execute("SELECT 1");
        } else if (calls.hasOthers(heard)) {
          publisher.wake();
        }
      }
    } catch (SQLException e) {
      if (!closed) {
        throw new UncategorizedSQLException("listening to other replicas", null, e);
      }
    } finally {
      listening = null;
    }
  }

  /** Not one of the pool's, which are lent for a moment and closed after a while. */
  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "muster-listener");
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", "3");
    properties.setProperty("tcpKeepAlive", "true");
    set(properties, "user", database.getUsername());
    set(properties, "password", database.getPassword());
    return DriverManager.getConnection(database.getJdbcUrl(), properties);
  }

  /** What is not given may stand in the url. */
  private static void set(Properties properties, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      properties.setProperty(name, value);
    }
  }

  @PreDestroy
  void close() throws SQLException {
    closed = true;
    @Nullable Connection open = listening;
    if (open != null) {
      open.abort(Runnable::run);
    }
    loop.close();
  }
}
