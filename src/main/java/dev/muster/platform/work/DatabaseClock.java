package dev.muster.platform.work;

import com.github.kagkarlsson.scheduler.Clock;
import dev.muster.platform.postgres.Timestamps;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Returns the database's time without a query per call.
 *
 * <p>Replicas whose own clocks differ thus agree on what is due. The time is read every 10 s and
 * advanced by this process's monotonic clock in between, so changes of the wall clock have no
 * effect.
 */
@Component
final class DatabaseClock implements Clock {

  private static final Duration READ_INTERVAL = Duration.ofSeconds(10);

  private static final String NOW = "SELECT clock_timestamp() AS now";

  /** The database's time, and the {@code System.nanoTime()} at which it was valid. */
  private record Reading(Instant time, long at) {}

  private final JdbcClient db;
  private final BackgroundLoop loop;
  private volatile Reading last;

  DatabaseClock(JdbcClient db, BackgroundLoops loops) {
    this.db = db;
    this.last = read();
    this.loop = loops.start("database-clock", READ_INTERVAL, () -> last = read());
  }

  @Override
  public Instant now() {
    Reading reading = last;
    return reading.time().plusNanos(System.nanoTime() - reading.at());
  }

  /** Reads the time and dates it to the middle of the round trip. */
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
