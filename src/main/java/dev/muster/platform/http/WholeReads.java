package dev.muster.platform.http;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Bounds the reads whose work grows with what is stored: of the fleet, of its past, of all queues
 * and of the ledger. Each holds a connection and a processor for long, so a few run at a time, and
 * fewer of one owner; heartbeats and other short requests keep the other connections.
 *
 * <p>A read holds its place while it reads the database and makes its answer, and not while the
 * client receives it. It does not run inside of another, which would wait for its own place.
 */
@Component
public final class WholeReads {

  private static final int MAX_AT_ONCE = 4;

  /** A small pool has fewer whole reads, so that they leave most of it. */
  private static final int CONNECTIONS_FOR_ONE = 4;

  private static final Duration MAX_WAIT = Duration.ofSeconds(2);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private static final ScopedValue<Boolean> READING = ScopedValue.newInstance();

  private final Quota places;

  @Autowired
  WholeReads(HikariDataSource pool) {
    this(pool.getMaximumPoolSize());
  }

  WholeReads(int connections) {
    this.places = new Quota(Math.clamp(connections / CONNECTIONS_FOR_ONE, 1, MAX_AT_ONCE));
  }

  /**
   * Reads when there is a place. Refuses after 2 s without one: with {@code RATE_LIMITED} when the
   * owner's other reads are in the way, else with {@code UNAVAILABLE}.
   */
  public <R extends @Nullable Object> R run(Owner owner, Supplier<R> read) {
    return run(owner, MAX_WAIT, read);
  }

  /** Reads what belongs to an answer that has begun: it waits as long as a request may. */
  <R extends @Nullable Object> R goOn(Owner owner, Supplier<R> read) {
    return run(owner, RequestDeadline.LIMIT, read);
  }

  private <R extends @Nullable Object> R run(Owner owner, Duration atMost, Supplier<R> read) {
    if (READING.isBound()) {
      throw new IllegalStateException("a whole read inside of another, which indicates a bug");
    }
    switch (take(owner, RequestDeadline.capping(atMost))) {
      case GRANTED -> {}
      case OWNER_FULL ->
          throw refusal(
              ErrorCode.RATE_LIMITED,
              "other long reads of this credential are running (expected: at most "
                  + places.ownerLimit()
                  + " at once); wait for their answers, or ask less often");
      case FULL ->
          throw refusal(
              ErrorCode.UNAVAILABLE,
              "too many long reads are running right now; try again in a few seconds");
    }
    try {
      return ScopedValue.where(READING, true).call(read::get);
    } finally {
      places.release(owner, 1);
    }
  }

  private Quota.Grant take(Owner owner, Duration atMost) {
    try {
      return places.await(owner, atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("the server is shutting down");
    }
  }

  private static ProblemException refusal(ErrorCode code, String detail) {
    return new ProblemException(code, detail).retryAfter(RETRY_AFTER);
  }
}
