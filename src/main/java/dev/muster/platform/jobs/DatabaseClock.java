package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Clock;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.postgres.Timestamps;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The database's time without asking it each time, so that replicas whose own clocks differ agree
 * on what is due.
 *
 * <p>It is read every 10 s and goes on by this process's monotonic clock in between: nobody's
 * change of the wall clock is felt here.
 */
@Component
final class DatabaseClock implements Clock {

  private static final Duration READ_INTERVAL = Duration.ofSeconds(10);

  private static final String NOW = "SELECT clock_timestamp() AS now";

  /** What the database said, and when that was by the monotonic clock. */
  private record Reading(Instant time, long at) {}

  private final JdbcClient db;
  private final BackgroundLoop loop;
  private volatile Reading last;

  DatabaseClock(JdbcClient db) {
    this.db = db;
    this.last = read();
    this.loop = BackgroundLoop.start("database-clock", READ_INTERVAL, () -> last = read());
  }

  @Override
  public Instant now() {
    Reading reading = last;
    return reading.time().plusNanos(System.nanoTime() - reading.at());
  }

  /** The answer was true somewhere between question and answer: the middle is the best guess. */
  private Reading read() {
    long asked = System.nanoTime();
    Instant time = db.sql(NOW).query((row, n) -> Timestamps.instant(row, "now")).single();
    return new Reading(time, asked + (System.nanoTime() - asked) / 2);
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
