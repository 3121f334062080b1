package dev.muster.console.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The p99 of commits between two calls. */
class CommitLatencyTest {

  private final PrometheusMeterRegistry metrics =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Timer heartbeats = timer("heartbeat");
  private final Timer delegations = timer("delegation");
  private final CommitLatency latency = new CommitLatency(metrics);

  private Timer timer(String name) {
    return Timer.builder("muster.commit.batch")
        .tag("name", name)
        .serviceLevelObjectives(Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofSeconds(1))
        .register(metrics);
  }

  private static void record(Timer timer, int times, int ms) {
    for (int i = 0; i < times; i++) {
      timer.record(Duration.ofMillis(ms));
    }
  }

  @Test
  void isUnknownWithoutACommit() {
    assertThat(latency.p99Ms()).isNull();
    record(heartbeats, 1, 3);
    assertThat(latency.p99Ms()).isEqualTo(5);
    assertThat(latency.p99Ms()).isNull();
  }

  @Test
  void leavesOutTheSlowestHundredth() {
    record(heartbeats, 99, 3);
    record(heartbeats, 1, 700);
    assertThat(latency.p99Ms()).isEqualTo(5);
    record(heartbeats, 98, 3);
    record(heartbeats, 2, 7);
    assertThat(latency.p99Ms()).isEqualTo(10);
    record(heartbeats, 1, 700); // those before do not count any more
    assertThat(latency.p99Ms()).isEqualTo(1000);
  }

  /** A commit that is being recorded is counted before it is in a bucket. */
  @Test
  void leavesOutTheLongestTimeBeforeWhileACommitIsRecorded() throws InterruptedException {
    record(heartbeats, 1, 700);
    assertThat(latency.p99Ms()).isEqualTo(1000);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread recorder =
        Thread.ofPlatform()
            .start(() -> {
              while (!isOver.get()) {
                record(heartbeats, 1, 3);
              }
            });
    Awaitility.await().until(() -> heartbeats.count() > 1);
    Set<@Nullable Double> found = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      found.add(latency.p99Ms());
    }
    isOver.set(true);
    recorder.join();
    found.remove(null);
    assertThat(found).containsExactly(5.0);
  }

  @Test
  void isThatOfTheSlowestKind() {
    record(heartbeats, 1000, 3);
    record(delegations, 1, 700);
    assertThat(latency.p99Ms()).isEqualTo(1000);
  }

  @Test
  void isTheLongestTimeBeyondTheLastBucket() {
    record(heartbeats, 1, 3000);
    assertThat(latency.p99Ms()).isEqualTo(3000);
  }
}
