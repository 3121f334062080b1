package dev.muster.platform.postgres;

import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.jdbc.core.JdbcTemplate;

/** Bounds each statement by the deadline of its request (R1.8). */
final class TimelyStatements extends JdbcTemplate {

  TimelyStatements(TimelyConnections connections) {
    super(connections);
  }

  @Override
  protected void applyStatementSettings(Statement statement) throws SQLException {
    super.applyStatementSettings(statement);
    TimelyConnections.beginAnswer(statement.getConnection());
  }
}
