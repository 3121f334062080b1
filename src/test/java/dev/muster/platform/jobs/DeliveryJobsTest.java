package dev.muster.platform.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Clock;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionTemplate;

/** Durable one-off jobs on servers that share a database (design, section 2.4). */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the body of DeliveryJobsTest")
class DeliveryJobsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How often each thing was run, by all servers of this JVM. */
  private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();

  private static volatile Function<String, Optional<Duration>> body = thing -> Optional.empty();

  static final class ProbeJob {

    @Bean
    DeliveryJob probeDelivery() {
      return new DeliveryJob(
          "probe",
          thing -> {
            RUNS.computeIfAbsent(thing, one -> new AtomicInteger()).incrementAndGet();
            return body.apply(thing);
          });
    }
  }

  private final TestDatabase database = TestDatabases.create();

  @BeforeEach
  void doNothing() {
    body = thing -> Optional.empty();
    RUNS.clear();
  }

  @Test
  void runOnceAndAreGone() {
    try (TestServer server = start()) {
      jobs(server).schedule("probe", "a");

      awaitRuns("a", 1);
      awaitNoRow("a");
      assertThat(runs("a")).isEqualTo(1);
    }
  }

  @Test
  void belongToTheTransactionOfTheirCaller() {
    try (TestServer server = start()) {
      TransactionTemplate transactions = server.bean(TransactionTemplate.class);
      transactions.executeWithoutResult(status -> {
        jobs(server).schedule("probe", "never");
        status.setRollbackOnly();
      });
      transactions.executeWithoutResult(status -> {
        jobs(server).schedule("probe", "always");
        // the same again leaves the transaction whole
        jobs(server).schedule("probe", List.of("always", "too"));
        assertThat(database.value("SELECT count(*) FROM delivery_jobs")).isEqualTo("0");
      });

      awaitRuns("always", 1);
      awaitRuns("too", 1);
      assertThat(runs("never")).isZero();
    }
  }

  @Test
  void runAgainAfterAsLongAsTheySay() {
    body = thing -> runs(thing) == 1 ? Optional.of(Duration.ofHours(1)) : Optional.empty();
    try (TestServer server = start()) {
      jobs(server).schedule("probe", "a");
      awaitRuns("a", 1);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() ->
              database
                  .value(
                      """
                      SELECT count(*) FROM delivery_jobs WHERE NOT picked AND execution_time
                          BETWEEN clock_timestamp() + interval '59 minutes' AND clock_timestamp() + interval '61 minutes'
                      """)
                  .equals("1"));

      // a later time moves nothing, an earlier one does
      Clock clock = server.bean(Clock.class);
      jobs(server).schedule("probe", List.of("a"), clock.now().plus(Duration.ofHours(2)));
      assertThat(
              database.value(
                  "SELECT execution_time < clock_timestamp() + interval '61 minutes' FROM"
                      + " delivery_jobs"))
          .isEqualTo("t");
      jobs(server).schedule("probe", "a");

      awaitRuns("a", 2);
      awaitNoRow("a");
    }
  }

  /**
   * A server that stood still during a run writes down how that ended when another one is at it.
   */
  @Test
  void areLeftToWhoeverHasTakenThemOver() {
    try (TestServer server = start()) {
      Clock clock = server.bean(Clock.class);
      jobs(server).schedule("probe", List.of("a"), clock.now().plus(Duration.ofHours(1)));
      database.execute(
          "UPDATE delivery_jobs SET picked = true, picked_by = 'another', version = 2");
      DeliveryJobRepository repository = server.bean(DeliveryJobRepository.class);

      repository.end("probe", "a", 1, null, false);
      repository.end("probe", "a", 1, clock.now(), true);
      assertThat(database.value("SELECT picked || ' ' || version FROM delivery_jobs"))
          .isEqualTo("true 2");

      repository.end("probe", "a", 2, null, false);
      assertThat(database.value("SELECT count(*) FROM delivery_jobs")).isEqualTo("0");
    }
  }

  @Test
  void runOnceMoreWhenTheyAreWantedDuringARun() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    body =
        thing -> {
          inside.countDown();
          await(goOn);
          return Optional.empty();
        };
    try (TestServer server = start()) {
      jobs(server).schedule("probe", "a");
      inside.await();
      jobs(server).schedule("probe", "a");
      jobs(server).schedule("probe", "a");
      goOn.countDown();

      awaitRuns("a", 2);
      awaitNoRow("a");
      assertThat(runs("a")).isEqualTo(2);
    }
  }

  @Test
  void areRepeatedAfterAPauseWhenTheyFailAndAreNeverLost() {
    body =
        thing -> {
          throw new IllegalStateException("no answer");
        };
    try (TestServer server = start()) {
      jobs(server).schedule("probe", "a");
      for (int failures = 1; failures <= 3; failures++) {
        int so = failures;
        long pause = BackOff.OF_DELIVERIES.delay(failures - 1).toSeconds();
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() ->
                database
                    .value(
                        """
                        SELECT count(*) FROM delivery_jobs WHERE NOT picked AND consecutive_failures = %d
                            AND execution_time > clock_timestamp() + (%d - 2) * interval '1 second'
                            AND execution_time <= clock_timestamp() + %d * interval '1 second'
                        """
                            .formatted(so, pause, pause))
                    .equals("1"));
        if (failures == 3) {
          body = thing -> Optional.empty();
        }
        database.execute("UPDATE delivery_jobs SET execution_time = clock_timestamp()");
      }
      awaitNoRow("a");
      assertThat(runs("a")).isEqualTo(4);
      assertThat(server.metrics())
          .contains("muster_job_failures_total{job=\"probe\"} 3.0")
          .contains("muster_job_seconds_count{job=\"probe\"} 4");
    }
  }

  @Test
  void runOnOneReplicaAtATimeAndManyThingsAtOnce() {
    int things = 60;
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(things);
    body =
        thing -> {
          int now = running.computeIfAbsent(thing, one -> new AtomicInteger()).incrementAndGet();
          most.accumulateAndGet(now, Math::max);
          all.countDown();
          await(all);
          running.get(thing).decrementAndGet();
          return runs(thing) < 3 ? Optional.of(Duration.ZERO) : Optional.empty();
        };
    try (TestServer first = start();
        TestServer second = start()) {
      List<String> names = IntStream.range(0, things).mapToObj(i -> "thing " + i).toList();
      jobs(first).schedule("probe", names);
      jobs(second).schedule("probe", names);

      names.forEach(name -> awaitRuns(name, 3));
      names.forEach(this::awaitNoRow);
      assertThat(most).hasValue(1);
    }
  }

  @Test
  void doNotHoldUpTheStop() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    body =
        thing -> {
          inside.countDown();
          await(new CountDownLatch(1));
          return Optional.empty();
        };
    TestServer server = start();
    jobs(server).schedule("probe", "a");
    inside.await();
    long start = System.nanoTime();

    server.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
    assertThat(database.value("SELECT picked || ' ' || consecutive_failures FROM delivery_jobs"))
        .isEqualTo("false 1");
  }

  private TestServer start() {
    return TestServer.startWith(database, List.of(ProbeJob.class));
  }

  private static DeliveryJobs jobs(TestServer server) {
    return server.bean(DeliveryJobs.class);
  }

  private static int runs(String thing) {
    return RUNS.getOrDefault(thing, new AtomicInteger()).get();
  }

  private static void awaitRuns(String thing, int runs) {
    Awaitility.await().atMost(PATIENCE).until(() -> runs(thing) >= runs);
  }

  private void awaitNoRow(String thing) {
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() ->
            database
                .value("SELECT count(*) FROM delivery_jobs WHERE task_instance = '" + thing + "'")
                .equals("0"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }
}
