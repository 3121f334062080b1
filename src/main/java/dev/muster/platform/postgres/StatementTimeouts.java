package dev.muster.platform.postgres;

import dev.muster.platform.deadline.RequestDeadline;
import java.sql.Connection;
import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Makes an exception from the time-outs of all statements, for the few that move a lot. */
@Component
public class StatementTimeouts {

  /** What they move has room in memory, and is not written to a temporary file on its way. */
  private static final String ALLOW =
      "SELECT set_config('statement_timeout', ?, true), set_config('work_mem', '64MB', true)";

  /** A statement that is cancelled can still say so, and its connection is kept. */
  private static final Duration FOR_ITS_END = Duration.ofSeconds(1);

  private final JdbcTemplate db;

  StatementTimeouts(JdbcTemplate db) {
    this.db = db;
  }

  /** Each statement of the running transaction may take so long; the pool takes it back. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void allow(Duration most) {
    db.execute((Connection connection) -> {
      connection.setNetworkTimeout(
          Runnable::run,
          (int) Math.max(1, RequestDeadline.capping(most.plus(FOR_ITS_END)).toMillis()));
      return null;
    });
    db.query(ALLOW, row -> {}, most.toMillis() + "ms");
  }
}
