package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.postgresql.PGNotification;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Calls the other replicas when there are new events: many calls at once are one, and there are at
 * most 20 a second. A call may get lost; everybody looks once a second as well.
 */
@Component
class ReplicaCalls {

  static final String CHANNEL = "muster_events";

  /** A transaction of its own: in that of the events it would hold up other commits. */
  private static final String CALL = "SELECT pg_notify('" + CHANNEL + "', :caller)";

  private static final Duration BETWEEN_CALLS = Duration.ofMillis(50);

  private final JdbcClient db;
  private final String self = UUID.randomUUID().toString();
  private final AtomicBoolean toCall = new AtomicBoolean();
  private final BackgroundLoop loop;

  ReplicaCalls(JdbcClient db) {
    this.db = db;
    this.loop = BackgroundLoop.start("replica-calls", BETWEEN_CALLS, this::callIfAsked);
  }

  /** Soon, and not at all when the database cannot. */
  void callOthers() {
    toCall.set(true);
  }

  boolean hasOthers(PGNotification[] calls) {
    return Arrays.stream(calls).anyMatch(call -> !call.getParameter().equals(self));
  }

  private void callIfAsked() {
    if (toCall.getAndSet(false)) {
      db.sql(CALL).param("caller", self).query((row, n) -> n).list();
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
