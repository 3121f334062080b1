package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Deletions by age do not delay the sweeps (R5.1, R6.8, R6.11). */
@Slow
@Tag("sql")
@Timeout(180)
@ResourceLock("the stuck deletions of RetentionJobsTest")
class RetentionJobsTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int STUCK = 8;

  private static volatile CountDownLatch end = new CountDownLatch(0);

  /** More of them than there are threads for jobs. */
  static final class StuckDeletions implements BeanDefinitionRegistryPostProcessor {

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
      for (int i = 0; i < STUCK; i++) {
        RecurringJob job =
            new RecurringJob(
                "a-stuck-" + i,
                Duration.ofDays(1),
                StuckDeletions::waitForTheEnd,
                RecurringJob.Kind.RETENTION);
        registry.registerBeanDefinition(
            job.name(), new RootBeanDefinition(RecurringJob.class, () -> job));
      }
    }

    private static void waitForTheEnd() {
      try {
        end.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private final TestDatabase database = TestDatabases.create();

  @Test
  void doNotDelaySweepsWhenAllOfThemAreStuck() {
    end = new CountDownLatch(1);
    try (TestServer _ =
        TestServer.startWith(
            database,
            List.of(StuckDeletions.class, FastPace.class),
            "LIVENESS_SWEEP_INTERVAL_S=1")) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  database.value(
                      "SELECT count(*) FROM retention_jobs WHERE picked AND task_name LIKE"
                          + " 'a-stuck-%'"),
              "2"::equals);

      for (String sweep :
          List.of("liveness-sweep", "stall-sweep", "delegation-dispatch", "delivery-sweep")) {
        int before = runs(sweep);
        Awaitility.await(sweep).atMost(TIMEOUT).until(() -> runs(sweep) > before + 1);
      }
      assertThat(runs("a-stuck-0") + runs("a-stuck-1")).isZero();
      end.countDown();
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> IntStream.range(0, STUCK).allMatch(i -> runs("a-stuck-" + i) >= 1));
      assertThat(runs("activity-retention")).as("runs since the first boot").isEqualTo(1);
    } finally {
      end.countDown();
    }
  }

  private int runs(String job) {
    return Integer.parseInt(
        database.value("SELECT coalesce(max(runs), 0) FROM job_runs WHERE job = '" + job + "'"));
  }

  @Test
  void runAtNightAtDifferentTimes() {
    try (TestServer server = TestServer.startWith(database, List.of())) {
      String own = "SELECT string_agg(task_name, ' ' ORDER BY task_name) FROM ";
      assertThat(database.value(own + "retention_jobs").split(" "))
          .containsExactlyInAnyOrder(
              "activity-retention",
              "audit-retention",
              "bulk-retention",
              "delegation-retention",
              "event-retention",
              "runtime-retention",
              "status-history-retention",
              "token-retention",
              "workspace-retention");
      assertThat(database.value(own + "recurring_jobs")).doesNotContain("retention");
      String[] starts =
          database
              .value(
                  """
                  SELECT string_agg((execution_time AT TIME ZONE '%s')::time::text, ' ' ORDER BY task_name)
                  FROM retention_jobs WHERE task_name <> 'activity-retention'
                  """
                      .formatted(ZoneId.systemDefault()))
              .split(" ");
      assertThat(Arrays.stream(starts).distinct()).hasSize(8);
      assertThat(starts).allMatch(time -> time.compareTo("01") >= 0 && time.compareTo("05") < 0);
      assertThat(server.client().get("/admin/liveness", TestServer.ADMIN_TOKEN).text())
          .contains("\"delegation-retention\"");
    }
  }
}
