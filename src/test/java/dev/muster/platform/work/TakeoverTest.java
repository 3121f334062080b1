package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Nightly;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A job whose replica is killed during a run is taken over within 30 s. */
@Nightly
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class TakeoverTest {

  private static final String OWNER =
      """
      SELECT coalesce(max(picked_by), '') FROM recurring_jobs
      WHERE task_name = 'liveness-sweep' AND last_heartbeat > '%s'
      """;

  @TempDir Path folder;

  private final TestDatabase database = TestDatabases.create();
  private final Map<String, String> settings =
      Map.of(
          "ADMIN_TOKEN",
          TestServer.ADMIN_TOKEN,
          "DATABASE_URL",
          database.url(),
          "LIVENESS_SWEEP_INTERVAL_S",
          "1");

  @Test
  void followsTheKillOfItsOwner() throws Exception {
    try (ServerProcess dies = ServerProcess.start(folder.resolve("a"), settings).awaitReady();
        ServerProcess lives = ServerProcess.start(folder.resolve("b"), settings).awaitReady()) {
      long killedAt;
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        // a sweep begins with a tick: this lock holds its replica inside the job
        statement.execute("SELECT up_since FROM control_plane_uptime FOR UPDATE");
        String lockedAt = database.value("SELECT clock_timestamp()");
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(20))
            .until(() -> isOf(dies, database.value(OWNER.formatted(lockedAt))));
        dies.kill();
        killedAt = System.nanoTime();
        assertThat(isOf(dies, database.value(OWNER.formatted(lockedAt)))).isTrue();
        connection.rollback();
      }

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() ->
              isOf(
                  lives,
                  database.value(
                      """
                      SELECT max(replica) FROM job_runs
                      WHERE job = 'liveness-sweep' AND started_at > clock_timestamp() - interval '3 seconds'
                      """)));
      assertThat(Duration.ofNanos(System.nanoTime() - killedAt)).isLessThan(Duration.ofSeconds(30));
      // the scheduler that found the dead run reports it, beside the new run
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(lives.output().lines())
                  .filteredOn(line -> line.contains(" took over "))
                  .anySatisfy(line ->
                      assertThat(line)
                          .contains(
                              " INFO ",
                              "job runs from",
                              "-" + dies.pid() + "-",
                              "liveness-sweep")));
    }
  }

  private static boolean isOf(ServerProcess server, String replica) {
    return replica.contains("-" + server.pid() + "-");
  }
}
