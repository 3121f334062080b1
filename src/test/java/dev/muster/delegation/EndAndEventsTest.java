package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of a delegation and the row in the caller's feed are stored together or not at all
 * (R8.7).
 */
class EndAndEventsTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);
  private final String id = LEDGER.delegate(caller, callee, "Do it.");

  /** Ends it by a report, an operator, a reply or the sweeper. */
  private Answer end(String by) {
    return switch (by) {
      case "report" -> LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"r\"}");
      case "operator" ->
          LEDGER
              .client()
              .post("/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{\"reason\":\"r\"}");
      case "reply" -> LEDGER.send(callee, caller, "m", "r", "{\"delegation_id\":\"" + id + "\"}");
      case "sweep" -> {
        LEDGER.set(id, "deadline = now() - interval '1 s'");
        yield LEDGER.client().post("/admin/delegations/sweep", ADMIN_TOKEN, "");
      }
      default -> throw new IllegalArgumentException(by);
    };
  }

  private void assertNothingIsStored() {
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    assertThat(LEDGER.inbox(caller).size()).isZero();
    assertThat(LEDGER.events(caller, id))
        .containsExactly("DELEGATION_SENT", "DELEGATION_STATUS dispatched");
  }

  private void assertItCanEndNow(String by) {
    assertThat(end(by).status()).isEqualTo(200);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isIn("completed", "failed");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
    assertThat(LEDGER.events(caller, id)).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "operator", "reply", "sweep"})
  void notifiesNoCallerOfAnEndThatWasRolledBack(String by) {
    LEDGER.await(caller, id, "dispatched");
    SERVER
        .database()
        .execute(
            """
            CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no end of this one' USING ERRCODE = 'check_violation'; END $$;
            CREATE CONSTRAINT TRIGGER refuse_end AFTER UPDATE ON delegations DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.delegation_id = '%s' AND NEW.status IN ('completed', 'failed'))
                EXECUTE FUNCTION refuse_end()
            """
                .formatted(id));
    try {
      Answer refused = end(by);
      assertThat(by.equals("sweep") ? 500 : refused.status()).as(refused.text()).isNotEqualTo(200);
      assertNothingIsStored();
    } finally {
      SERVER
          .database()
          .execute("DROP TRIGGER refuse_end ON delegations; DROP FUNCTION refuse_end()");
    }
    assertItCanEndNow(by);
  }

  @Test
  void doesNotEndWhenTheCallersRowCannotBeStored() {
    LEDGER.await(caller, id, "dispatched");
    SERVER
        .database()
        .execute(
            "ALTER TABLE activity_logs ADD CONSTRAINT no_row_of_caller CHECK (workspace_id <> '"
                + caller.id()
                + "' OR method <> 'delegate_result') NOT VALID");
    try {
      assertThat(end("report").status()).isNotEqualTo(200);
      assertThat(end("operator").status()).isNotEqualTo(200);
      end("sweep");
      assertNothingIsStored();
      LEDGER.set(id, "deadline = now() + interval '1 hour'");
    } finally {
      SERVER.database().execute("ALTER TABLE activity_logs DROP CONSTRAINT no_row_of_caller");
    }
    assertItCanEndNow("report");
  }
}
