package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No delegation is left in flight for a workspace that was removed meanwhile (section 2). */
@Timeout(90)
class RemovalRaceTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);

  @Test
  void endsWithACalleeThatIsRemovedConcurrently() throws Exception {
    Agent callee = LEDGER.polling(team);
    String held = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, held, "dispatched");
    CompletableFuture<Answer> removing;
    CompletableFuture<Answer> delegating;
    CompletableFuture<Answer> recording;
    try (var holder = SERVER.database().connect();
        var statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      removing = removeBehind(statement, held, callee);
      delegating =
          CompletableFuture.supplyAsync(
              () -> LEDGER.tryToDelegate(caller, callee.id(), "Do it."),
              Thread::startVirtualThread);
      recording =
          CompletableFuture.supplyAsync(
              () ->
                  LEDGER
                      .client()
                      .post(
                          "/workspaces/" + caller.id() + "/delegations/record",
                          caller.token(),
                          "{\"target_id\":\"%s\",\"task\":\"x\",\"delegation_id\":\"late-%s\"}"
                              .formatted(callee.id(), callee.id())),
              Thread::startVirtualThread);
      awaitLocks(3);
      holder.rollback();
    }

    assertThat(removing.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    assertThat(LEDGER.await(caller, held, "failed").path("error").asString())
        .isEqualTo("callee removed");
    assertThat(delegating.get(30, TimeUnit.SECONDS).status()).isEqualTo(410);
    assertThat(recording.get(30, TimeUnit.SECONDS).status()).isEqualTo(410);
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
    assertThat(LEDGER.row("late-" + callee.id(), "count(*)")).isEqualTo("0");
  }

  /**
   * The removal looks for a deadlock once, after a second; a slow machine closes the cycle later.
   */
  @Test
  void isRetriedAfterADeadlock() throws Exception {
    int rounds = 0;
    long before;
    do {
      assertThat(++rounds).as("rounds without a deadlock").isLessThanOrEqualTo(5);
      before = deadlocks();
      assertRemovedWhileOthersWait();
    } while (!roseBeyond(before));
  }

  private static long deadlocks() {
    return Long.parseLong(
        SERVER
            .database()
            .value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"));
  }

  /** PostgreSQL reports it a moment later. */
  private static boolean roseBeyond(long before) {
    long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    boolean rose = deadlocks() > before;
    while (!rose && System.nanoTime() < end) {
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      rose = deadlocks() > before;
    }
    return rose;
  }

  private void assertRemovedWhileOthersWait() throws Exception {
    Agent callee = LEDGER.polling(team);
    String held = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, held, "dispatched");
    CompletableFuture<Answer> removing;
    CompletableFuture<?> waiting;
    try (var holder = SERVER.database().connect();
        var statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      neverEndedByADeadlock(statement);
      removing = removeBehind(statement, held, callee);
      // the removal holds the workspace's row and waits for the delegation, so this closes the
      // cycle
      waiting =
          CompletableFuture.runAsync(
              () -> {
                try {
                  statement.execute(
                      "SELECT FROM workspace_heartbeats WHERE workspace_id = '"
                          + callee.id()
                          + "' FOR UPDATE");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              },
              Thread::startVirtualThread);
      waiting.get(30, TimeUnit.SECONDS);
      holder.rollback();
    }

    Answer removed = removing.get(30, TimeUnit.SECONDS);
    assertThat(removed.status()).as(removed.text()).isEqualTo(200);
    assertThat(LEDGER.await(caller, held, "failed").path("error").asString())
        .isEqualTo("callee removed");
  }

  /**
   * PostgreSQL cancels the transaction that detects a deadlock first: never this one. Only a
   * superuser may set this.
   */
  private static void neverEndedByADeadlock(Statement holder) throws SQLException {
    try {
      holder.execute("SET LOCAL deadlock_timeout = '1h'");
    } catch (SQLException e) {
      Assumptions.abort("the tests' database user is no superuser: " + e.getMessage());
    }
  }

  /** Returns when the removal waits for the delegation, which the statement's transaction locks. */
  private static CompletableFuture<Answer> removeBehind(
      Statement holder, String delegationId, Agent callee) throws SQLException {
    holder.execute(
        "SELECT FROM delegations WHERE delegation_id = '" + delegationId + "' FOR UPDATE");
    var removing =
        CompletableFuture.supplyAsync(
            () -> LEDGER.client().patient().delete("/workspaces/" + callee.id(), ADMIN_TOKEN),
            Thread::startVirtualThread);
    Awaitility.await().until(() -> SERVER.database().lockWaits("delegations") > 0);
    return removing;
  }

  private static void awaitLocks(int waiting) {
    Awaitility.await().until(() -> SERVER.database().lockWaits() >= waiting);
  }
}
