package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Delegations are deleted a fixed time after their end (R6.11). */
class DelegationRetentionTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);

  @ParameterizedTest
  @CsvSource({
    "completed, 91, 91, 0",
    "failed,    91, 91, 0",
    "completed, 91, 89, 1",
    "completed, 89, 89, 1",
    "queued,    91, 91, 1",
    "stuck,     91, 91, 1"
  })
  void areForgottenNinetyDaysAfterTheyEnded(String status, int created, int updated, String kept) {
    Agent team = LEDGER.team();
    String id = LEDGER.delegate(LEDGER.polling(team), LEDGER.polling(team), "Do it.");
    LEDGER.set(
        id,
        """
        status = '%s', deadline = now() + interval '1 hour', created_at = now() - interval '%d days',
        updated_at = now() - interval '%d days'
        """
            .formatted(status, created, updated));

    SERVER.bean(DelegationRetention.class).sweep();

    assertThat(LEDGER.row(id, "count(*)")).isEqualTo(kept);
  }

  /** Those that ended lately, and are many, are not read. */
  @Test
  void readsNoneThatAreKept() throws SQLException {
    try (Connection connection = SERVER.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET enable_seqscan = off");
      StringBuilder plan = new StringBuilder();
      try (var lines =
          statement.executeQuery(
              "EXPLAIN (COSTS OFF) "
                  + DelegationRetention.DELETE_ENDED
                      .replace(":most", "1000")
                      .replace(":passed_over", "0"))) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      assertThat(plan.toString())
          .contains("using delegations_ended")
          .containsPattern("Index Cond: \\(\\(terminal_status = [^)]*\\) AND \\(created_at < ");
    }
  }
}
