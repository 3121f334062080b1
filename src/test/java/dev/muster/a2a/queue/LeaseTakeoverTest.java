package dev.muster.a2a.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A message whose deliverer dies or stands still is another's when the lease has lapsed, and not a
 * moment before (R7.7).
 */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(Postman.ONLY_ONE)
class LeaseTakeoverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final TestDatabase database = TestDatabases.create();
  private final UUID id = UUID.randomUUID();

  @BeforeEach
  void reset() {
    Postman.reset();
  }

  @Test
  void followsTheKillOfItsHolder() throws Exception {
    try (ServerProcess dies = startStuck()) {
      Agent target = beginDelivery(dies);
      try (TestServer lives = startOther()) {
        requireUntouched(lives, target);
        dies.kill();
        requireUntouched(lives, target);

        lapse();

        new TestLine(lives).awaitState(id, "delivered");
        assertThat(Postman.visitsTo(id)).isEqualTo(1);
        assertThat(column("attempts")).isEqualTo("2");
      }
    }
  }

  @Test
  void leavesNothingToAHolderThatStoodStill() throws Exception {
    try (ServerProcess sleeps = startStuck()) {
      Agent target = beginDelivery(sleeps);
      try (TestServer lives = startOther()) {
        sleeps.signal("STOP");
        requireUntouched(lives, target);
        lapse();
        new TestLine(lives).awaitState(id, "delivered");
        sleeps.signal("CONT");

        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> database.value("SELECT count(*) FROM tried").equals("2"));
        assertThat(database.value("SELECT max(what) FROM tried")).isEqualTo("was not its own");
        assertThat(column("state || ' ' || attempts || ' ' || coalesce(error, '')"))
            .isEqualTo("delivered 2 ");
        assertThat(Postman.visitsTo(id)).isEqualTo(1);
        assertThat(Postman.NOT_OURS).isEmpty();
      }
    }
  }

  private ServerProcess startStuck() throws Exception {
    return ServerProcess.start(
            StuckServer.class,
            folder.resolve("home"),
            Map.of(
                "ADMIN_TOKEN",
                TestServer.ADMIN_TOKEN,
                "DATABASE_URL",
                database.url(),
                "AGENT_URL_ALLOW",
                "loopback"))
        .awaitReady();
  }

  private TestServer startOther() {
    return TestServer.startWith(database, List.of(Postman.class), "AGENT_URL_ALLOW=loopback");
  }

  /** Until the process is inside its attempt. */
  private Agent beginDelivery(ServerProcess server) {
    database.execute("CREATE TABLE tried (what text)");
    Agent target =
        server
            .client()
            .createOnline(
                "target",
                "\"delivery_mode\":\"push\"",
                "\"url\":\"http://127.0.0.1:9/\"",
                "\"max_concurrent_tasks\":2");
    database.execute(
        """
        INSERT INTO a2a_queue (queue_id, activity_id, target_id, priority, state, enqueued_at, next_attempt_at, expires_at)
        SELECT '%s', gen_random_uuid(), '%s', 50, 'waiting', now, now, now + interval '1 day' FROM clock_timestamp() AS now;
        INSERT INTO delivery_jobs (task_name, task_instance, execution_time, picked, version)
        VALUES ('queue-delivery', '%s', clock_timestamp(), false, 1)
        """
            .formatted(id, target.id(), target.id()));
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> database.value("SELECT count(*) FROM tried").equals("1"));
    assertThat(column("state || ' ' || (lease_until > clock_timestamp() + interval '30 seconds')"))
        .isEqualTo("delivering true");
    return target;
  }

  /** The other one tries its best, by every way there is. */
  private void requireUntouched(TestServer other, Agent target) {
    String owner = column("lease_owner");
    other.client().beat(target);
    new TestLine(other).pass();
    assertThat(other.bean(ClaimRepository.class).claim(target.id(), 2, "other/1")).isEmpty();
    assertThat(Postman.VISITED).isEmpty();
    assertThat(column("lease_owner")).isEqualTo(owner);
  }

  /** As if a minute had passed without a renewal. */
  private void lapse() {
    database.execute("UPDATE a2a_queue SET lease_until = clock_timestamp()");
  }

  private String column(String expression) {
    return database.value("SELECT " + expression + " FROM a2a_queue WHERE queue_id = '" + id + "'");
  }
}
