package dev.muster.delegation;

import dev.muster.delivery.DelegationMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Looks up delegations by what their messages name. */
@Repository
class DelegationLookup {

  /** One that has not ended. */
  record InFlight(
      String delegationId, UUID callerId, UUID calleeId, int retryCount, Duration timeLeft) {

    DelegationMessage message() {
      return new DelegationMessage(
          delegationId, callerId, calleeId, MessageIds.of(delegationId, retryCount));
    }

    boolean isCarriedBy(DelegationMessage carried) {
      return message().equals(carried);
    }
  }

  private static final String IN_FLIGHT =
      """
      SELECT delegation_id, caller_id, callee_id, retry_count,
          extract(epoch FROM deadline - clock_timestamp()) * 1000 AS left_ms
      FROM delegations WHERE delegation_id = :delegation_id AND ended_as IS NULL
      """;

  private final JdbcClient db;

  DelegationLookup(JdbcClient db) {
    this.db = db;
  }

  Optional<InFlight> inFlight(String delegationId) {
    return db.sql(IN_FLIGHT)
        .param("delegation_id", delegationId)
        .query((row, n) ->
            new InFlight(
                row.getString("delegation_id"),
                row.getObject("caller_id", UUID.class),
                row.getObject("callee_id", UUID.class),
                row.getInt("retry_count"),
                Duration.ofMillis((long) row.getDouble("left_ms"))))
        .optional();
  }
}
