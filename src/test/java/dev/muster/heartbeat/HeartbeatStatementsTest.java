package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The two statements that store heartbeats agree on the columns that both set. */
class HeartbeatStatementsTest {

  @Test
  void storeTheSameOfSteadyAndOfEvaluatedHeartbeats() {
    String steady = assignments(HeartbeatRepository.RECORD_STEADY);
    assertThat(steady).contains("last_heartbeat_at", "idle_timeout_seconds");
    assertThat(assignments(HeartbeatRepository.RECORD_EVALUATED)).startsWith(steady + ",");
  }

  /** Returns the SET clause of a statement. */
  private static String assignments(String sql) {
    String clause = sql.substring(sql.indexOf("workspace_heartbeats b SET"));
    return clause.substring(0, clause.indexOf("\nFROM ")).strip();
  }
}
