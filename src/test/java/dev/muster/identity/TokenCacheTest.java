package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The database statements that authentication needs. */
class TokenCacheTest {

  private static final int FLEET = 60;

  private final TestServer server = TestServer.shared();
  private final TestClient client = server.client();
  private final DistributionSummary lookUps =
      server
          .bean(MeterRegistry.class)
          .get("muster.commit.batch.size")
          .tag("name", "token-look-ups")
          .summary();

  @Test
  void looksUpTheTokensOfConcurrentRequestsTogether() throws Exception {
    List<Agent> fleet =
        IntStream.range(0, FLEET).mapToObj(i -> client.create("Of a fleet")).toList();
    double shared = sharedLookUps();

    assertThat(statesOf(fleet)).hasSize(FLEET).containsOnly(200);

    assertThat(sharedLookUps()).isGreaterThan(shared);
  }

  @Test
  void doesNotWaitForLockedTokens() throws Exception {
    Agent agent = client.create("Never heard of");
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT FROM workspace_tokens WHERE workspace_id = '" + agent.id() + "' FOR UPDATE");

      assertThat(statesOf(List.of(agent))).containsOnly(200);
    }
  }

  /** The time of a revocation is set before its commit makes it visible (R1.6). */
  @Test
  void noticesARevocationThatIsCommittedLate() throws Exception {
    Agent agent = client.createOnline("Revoked for a minute");

    server
        .database()
        .execute(
            "UPDATE workspace_tokens SET revoked_by = 'operator', revoked_at = clock_timestamp() -"
                + " interval '1 minute' WHERE workspace_id = '"
                + agent.id()
                + "'");

    MachinePauses.awaitWithin(
        Tokens.REVOCATION_REACH, () -> client.heartbeat(agent).status() == 401);
  }

  /** Counts look-ups that shared a statement, also of tests that run at the same time. */
  private double sharedLookUps() {
    return lookUps.totalAmount() - lookUps.count();
  }

  private List<Integer> statesOf(List<Agent> fleet) throws InterruptedException {
    List<Callable<Integer>> calls =
        fleet.stream()
            .<Callable<Integer>>map(agent ->
                () ->
                    client
                        .patient()
                        .get("/workspaces/" + agent.id() + "/state", agent.token())
                        .status())
            .toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return threads.invokeAll(calls).stream().map(Future::resultNow).toList();
    }
  }
}
