package dev.muster.platform.work;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.JsonNode;

/** Recurring jobs on servers that share a database. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the body of ClusterJobsTest")
class ClusterJobsTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** The work of the probe; the servers of a test run in this JVM. */
  private static volatile Runnable body = () -> {};

  private static volatile Duration interval = Duration.ofMillis(100);

  static final class ProbeJob {

    @Bean
    RecurringJob probe() {
      return new RecurringJob("probe", interval, () -> body.run());
    }
  }

  private final TestDatabase database = TestDatabases.create();

  @BeforeEach
  void doNothing() {
    body = () -> {};
    interval = Duration.ofMillis(100);
  }

  @Test
  void runOnOneReplicaAtATime() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    Set<String> owners = ConcurrentHashMap.newKeySet();
    body =
        () -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          runs.incrementAndGet();
          running.decrementAndGet();
        };
    try (TestServer first = start();
        TestServer second = start()) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> {
            owners.add(database.value("SELECT max(replica) FROM job_runs WHERE job = 'probe'"));
            return runs.get() > 10;
          });
      assertThat(most).hasValue(1);
      assertThat(owners).isNotEmpty();
      assertThat(probe(first)).isNotNull();
      assertThat(probe(second)).isNotNull();
    }
    int recorded =
        Integer.parseInt(database.value("SELECT runs FROM job_runs WHERE job = 'probe'"));
    // the last run may have been interrupted before its record
    assertThat(recorded).isBetween(runs.get() - 1, runs.get());
  }

  @Test
  void areCountedWhenTheyFailAndAreRetriedAndDoNotDelayTheShutdown() throws Exception {
    body =
        () -> {
          throw new IllegalStateException("no answer from postgres://u:hunter2secret@db/muster");
        };
    try (TestServer server = start()) {
      Awaitility.await().atMost(TIMEOUT).until(() -> probe(server).path("failures").asInt() > 1);

      JsonNode probe = probe(server);
      assertThat(probe.path("runs").asInt()).isGreaterThanOrEqualTo(2);
      assertThat(probe.path("last_error").asString())
          .contains("no answer from")
          .doesNotContain("hunter2secret");
      assertThat(probe.path("last_error_at").isNull()).isFalse();
      assertThat(server.metrics())
          .contains("muster_job_failures_total{job=\"probe\"}")
          .contains("muster_job_seconds_count{job=\"probe\"}");

      body = () -> {};
      JsonNode mended = probe(server);
      int failures = mended.path("failures").asInt();
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> probe(server).path("runs").asInt() > mended.path("runs").asInt() + 2);
      assertThat(probe(server).path("failures").asInt()).isLessThanOrEqualTo(failures + 1);
      assertThat(probe(server).path("last_error").isNull()).isFalse();
      assertDoNotDelayTheShutdown(server);
    }
  }

  @Test
  void areTakenOverFromADeadReplicaAndFollowTheIntervalOfTheNextStart() {
    AtomicInteger runs = new AtomicInteger();
    body = runs::incrementAndGet;
    interval = Duration.ofDays(1);
    try (TestServer server =
        TestServer.startWith(database, List.of(ProbeJob.class, FastPace.class))) {
      Awaitility.await().atMost(TIMEOUT).until(() -> probe(server).path("runs").asInt() == 1);
      // the scheduler writes the end of a run after its record
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  database.value(
                      "SELECT count(*) FROM recurring_jobs WHERE task_name = 'probe' AND NOT picked"
                          + " AND execution_time > now()"),
              "1"::equals);
      database.execute(
          "UPDATE recurring_jobs SET picked = true, picked_by = 'a dead replica', last_heartbeat ="
              + " now() - interval '1 hour', execution_time = now() WHERE task_name = 'probe'");
      Awaitility.await().atMost(TIMEOUT).until(() -> probe(server).path("runs").asInt() == 2);
    }
    interval = Duration.ofSeconds(1);
    try (TestServer server = start()) {
      Awaitility.await().atMost(TIMEOUT).until(() -> runs.get() > 3);
      assertThat(probe(server).path("interval_s").asInt()).isEqualTo(1);
    }
  }

  private static void assertDoNotDelayTheShutdown(TestServer server) throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    body =
        () -> {
          inside.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
          }
        };
    inside.await();
    try (MachinePauses pauses = new MachinePauses()) {
      long start = System.nanoTime();

      server.close();

      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(Duration.ofSeconds(7).plus(pauses.longest()));
    }
  }

  private TestServer start() {
    return TestServer.startWith(database, List.of(ProbeJob.class));
  }

  private static JsonNode probe(TestServer server) {
    for (JsonNode loop :
        server.client().patient().get("/admin/liveness", ADMIN_TOKEN).json().path("loops")) {
      if (loop.path("name").asString().equals("probe")) {
        return loop;
      }
    }
    throw new AssertionError("no probe");
  }
}
