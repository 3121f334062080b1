package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Calls between replicas that there are new events: many at once are one, and there are at most 20
 * a second. A call may get lost; whoever listens looks once a second as well.
 */
@Component
class ReplicaCalls {

  private static final String CHANNEL = "muster_events";

  /** A transaction of its own: in that of the events it would hold up other commits. */
  private static final String CALL = "SELECT pg_notify('muster_events', :caller)";

  private static final Duration BETWEEN_CALLS = Duration.ofMillis(50);
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  /** After so long a silence the connection is tried: a wire can be cut without a sound. */
  private static final int LONGEST_SILENCE_MILLIS = 10_000;

  private final JdbcClient db;
  private final JdbcConnectionDetails database;
  private final String self = UUID.randomUUID().toString();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean toCall = new AtomicBoolean();
  private final BackgroundLoop calling;
  private final BackgroundLoop hearing;
  private volatile @Nullable Connection listening;
  private volatile boolean closed;

  ReplicaCalls(JdbcClient db, JdbcConnectionDetails database) {
    this.db = db;
    this.database = database;
    this.calling = BackgroundLoop.start("replica-calls", BETWEEN_CALLS, this::callIfAsked);
    this.hearing = BackgroundLoop.start("replica-listener", BETWEEN_TRIES, this::listen);
  }

  /** Soon, and not at all when the database cannot: the others look by themselves. */
  void callOthers() {
    toCall.set(true);
  }

  /** Runs {@code listener} at every call of another replica; it returns soon. */
  void onCall(Runnable listener) {
    listeners.add(listener);
  }

  private void callIfAsked() {
    if (toCall.getAndSet(false)) {
      db.sql(CALL).param("caller", self).query((row, n) -> n).list();
    }
  }

  /** Until the connection fails, or for ever. */
  private void listen() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      listening = connection;
      statement.execute("LISTEN " + CHANNEL);
      wakeAll();
      PGConnection calls = connection.unwrap(PGConnection.class);
      while (!closed) {
        PGNotification[] heard = calls.getNotifications(LONGEST_SILENCE_MILLIS);
        if (heard.length == 0) {
          statement.execute("SELECT 1");
        } else if (hasOthers(heard)) {
          wakeAll();
        }
      }
    } catch (SQLException e) {
      if (closed) {
        return;
      }
      throw new UncategorizedSQLException("listening to other replicas", null, e);
    } finally {
      listening = null;
    }
  }

  private boolean hasOthers(PGNotification[] heard) {
    for (PGNotification call : heard) {
      if (!call.getParameter().equals(self)) {
        return true;
      }
    }
    return false;
  }

  private void wakeAll() {
    listeners.forEach(Runnable::run);
  }

  /** Not one of the pool's, which are lent for a moment and closed after a while. */
  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "muster-listener");
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", "3");
    properties.setProperty("tcpKeepAlive", "true");
    @Nullable String user = database.getUsername();
    if (user != null && !user.isEmpty()) {
      properties.setProperty("user", user);
    }
    @Nullable String password = database.getPassword();
    if (password != null && !password.isEmpty()) {
      properties.setProperty("password", password);
    }
    return DriverManager.getConnection(database.getJdbcUrl(), properties);
  }

  @PreDestroy
  void close() throws SQLException {
    closed = true;
    @Nullable Connection open = listening;
    if (open != null) {
      open.abort(Runnable::run);
    }
    calling.close();
    hearing.close();
  }
}
