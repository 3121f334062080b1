package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
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
}
