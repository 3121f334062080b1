package dev.muster.platform.postgres;

import dev.muster.platform.http.RequestDeadline;
import java.sql.Connection;
import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Raises the time-outs for the few transactions that process many rows. */
@Component
public class StatementTimeouts {

  /** Also raises work_mem, so that sorts do not spill to temporary files. */
  private static final String ALLOW =
      "SELECT set_config('statement_timeout', ?, true), set_config('work_mem', '64MB', true)";

  /** Lets a cancelled statement report its error, so that its connection survives. */
  private static final Duration CANCEL_TIME = Duration.ofSeconds(1);

  private final JdbcTemplate db;

  StatementTimeouts(JdbcTemplate db) {
    this.db = db;
  }

  /**
   * Allows each statement of the current transaction this much time, within the request's deadline.
   *
   * <p>The pool resets the connection's network time-out.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void allow(Duration most) {
    db.execute((Connection connection) -> {
      connection.setNetworkTimeout(
          Runnable::run,
          (int) Math.max(1, RequestDeadline.capping(most.plus(CANCEL_TIME)).toMillis()));
      return null;
    });
    db.query(ALLOW, row -> {}, most.toMillis() + "ms");
  }
}
