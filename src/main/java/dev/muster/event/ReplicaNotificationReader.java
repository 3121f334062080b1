package dev.muster.event;

import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.platform.postgres.Pooler;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.stereotype.Component;

/**
 * Reads the notifications of other replicas on a dedicated connection and calls the listeners.
 *
 * <p>Notifications that arrive together are merged into one. Behind a pooler none arrive: then only
 * the regular looks of the listeners find what other replicas did.
 */
@Component
class ReplicaNotificationReader {

  private static final Duration RUN_INTERVAL = Duration.ofMillis(1);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  /** After 5 s without a notification the connection is tested: a broken one may raise no error. */
  private static final int MAX_SILENCE_MILLIS = 5_000;

  private final JdbcConnectionDetails database;
  private final ReplicaNotifier notifier;
  private final List<ReplicaNotificationListener> receivers;
  private final FailingUnits failing;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Optional<BackgroundLoop> loop;
  private volatile @Nullable Connection listening;

  ReplicaNotificationReader(
      JdbcConnectionDetails database,
      ReplicaNotifier notifier,
      List<ReplicaNotificationListener> receivers,
      Pooler pooler,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.database = database;
    this.notifier = notifier;
    this.receivers = receivers;
    this.failing = new FailingUnits("replica-notification-reader", metrics);
    this.loop =
        pooler.isUsed()
            ? Optional.empty()
            : Optional.of(loops.start("replica-notification-reader", RUN_INTERVAL, this::listen));
  }

  /** Waits for the next notifications, at most {@code MAX_SILENCE_MILLIS}. */
  private void listen() {
    try {
      Connection connection = listening();
      PGNotification[] notifications =
          connection.unwrap(PGConnection.class).getNotifications(MAX_SILENCE_MILLIS);
      if (notifications.length == 0) {
        execute(connection, "SELECT 1");
      } else {
        dispatch(ofOthers(notifications));
      }
    } catch (SQLException e) {
      hangUp();
      if (!isClosedWithin(RETRY_DELAY)) {
        throw new UncategorizedSQLException("listening to other replicas", null, e);
      }
    }
  }

  private ReplicaNotification ofOthers(PGNotification[] notifications) {
    ReplicaNotification together = new ReplicaNotification();
    for (PGNotification one : notifications) {
      if (!notifier.isOwn(one.getParameter())) {
        together.addText(one.getParameter());
      }
    }
    return together;
  }

  private void dispatch(ReplicaNotification notification) {
    for (ReplicaNotificationListener receiver : receivers) {
      boolean _ =
          failing.run(receiver.getClass().getSimpleName(), () -> dispatch(notification, receiver));
    }
  }

  private static void dispatch(
      ReplicaNotification notification, ReplicaNotificationListener receiver) {
    if (notification.isAboutAll(receiver.topic())) {
      receiver.onResync();
    } else if (!notification.ids(receiver.topic()).isEmpty()) {
      receiver.onNotification(notification.ids(receiver.topic()));
    }
  }

  /**
   * Returns the open connection; a new one resyncs all listeners, since earlier notifications were
   * lost.
   */
  private Connection listening() throws SQLException {
    @Nullable Connection open = listening;
    if (open == null) {
      open = connect();
      listening = open;
      execute(open, "LISTEN " + ReplicaNotifier.CHANNEL);
      for (ReplicaNotificationListener receiver : receivers) {
        boolean _ = failing.run(receiver.getClass().getSimpleName(), receiver::onResync);
      }
    }
    return open;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * Opens a connection outside the pool, because pooled connections are lent briefly and expire.
   */
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

  /** Skips a missing value, which the JDBC URL may contain. */
  private static void set(Properties properties, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      properties.setProperty(name, value);
    }
  }

  private void hangUp() {
    @Nullable Connection open = listening;
    listening = null;
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        // The connection is unusable in either case.
      }
    }
  }

  @PreDestroy
  void close() {
    closed.countDown();
    hangUp();
    loop.ifPresent(BackgroundLoop::close);
    hangUp();
  }
}
