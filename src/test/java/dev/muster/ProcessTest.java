package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Health, readiness and metrics need no credential and ignore one (section 11). */
class ProcessTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void isUpAndReady() {
    for (String token : new String[] {"", "x".repeat(43), TestServer.ADMIN_TOKEN}) {
      for (String path :
          List.of("/health", "/ready", "/actuator/health", "/actuator/health/liveness")) {
        Answer answer = CLIENT.get(path, token.isEmpty() ? null : token);
        assertThat(answer.status()).as(path).isEqualTo(200);
        assertThat(answer.text()).as(path).isEqualTo("{\"status\":\"ok\"}");
      }
    }
  }

  @Test
  void showsItsMetrics() {
    Agent agent = CLIENT.createOnline("Metrics");
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\"");
    // pauses are exported after the first collection
    System.gc();

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(CLIENT.get("/metrics", null).text())
                .contains("to=\"degraded\"}", "jvm_gc_pause_seconds"));
    for (String path : List.of("/metrics", "/actuator/prometheus")) {
      Answer answer = CLIENT.get(path, null);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("Content-Type")).startsWith("text/plain;version=0.0.4;");
      assertThat(answer.text())
          .contains("muster_workspaces{status=\"degraded\"}")
          .containsPattern("(?m)^muster_heartbeats_total \\d")
          .containsPattern(
              "muster_status_transitions_total\\{from=\"online\",reason=\"[a-z_]+\",to=\"degraded\"\\}")
          .contains("muster_commit_batch_size", "muster_commit_batch_seconds")
          .contains("http_server_requests_seconds_count")
          .contains("jvm_memory_used_bytes", "hikaricp_connections", "jvm_gc_pause_seconds")
          .containsPattern("(?m)^muster_build_info\\{version=\"[0-9][^\"]+\"\\} 1")
          .doesNotContain(agent.id().toString(), agent.token());
    }
  }

  /** Each newly made page shows another uptime. */
  @Test
  void makesItsMetricsPageAtMostOnceASecond() {
    long from = System.nanoTime();

    Set<String> pages =
        IntStream.range(0, 200)
            .mapToObj(i -> i % 2 == 0 ? "/metrics" : "/actuator/prometheus")
            .map(path ->
                CompletableFuture.supplyAsync(
                    () -> CLIENT.get(path, null).text(), Thread::startVirtualThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .collect(Collectors.toSet());

    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - from);
    assertThat(pages).hasSizeLessThanOrEqualTo((int) seconds + 2);
    Awaitility.await().until(() -> !pages.contains(CLIENT.get("/metrics", null).text()));
  }

  @Test
  void countsHeartbeats() {
    Agent agent = CLIENT.create("Counted");
    double before = heartbeats();

    for (int i = 0; i < 5; i++) {
      CLIENT.heartbeat(agent);
    }
    CLIENT.heartbeat(new Agent(agent.id(), "x".repeat(43)));

    assertThat(heartbeats() - before).isEqualTo(5.0);
  }

  @Test
  void exposesNoOtherActuatorEndpoint() {
    for (String endpoint :
        List.of(
            "",
            "/health/readiness",
            "/health/db",
            "/info",
            "/env",
            "/beans",
            "/loggers",
            "/heapdump",
            "/metrics",
            "/shutdown")) {
      for (String token : new String[] {"", TestServer.ADMIN_TOKEN}) {
        Answer answer = CLIENT.get("/actuator" + endpoint, token.isEmpty() ? null : token);
        assertThat(answer.status()).as(endpoint).isEqualTo(404);
      }
    }
  }

  /** Every line is a comment or a sample: name, labels, a number. */
  @Test
  void writesWhatPrometheusCanRead() {
    CLIENT.heartbeat(CLIENT.create("Scraped"));
    String label = "[a-zA-Z_]\\w*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\"";
    String sample =
        "[a-zA-Z_:][\\w:]*(?:\\{(?:%1$s(?:,%1$s)*,?)?\\})? (?:NaN|[+-]Inf|-?[0-9.]+(?:E-?[0-9]+)?)"
            .formatted(label);

    assertThat(CLIENT.get("/metrics", null).text().lines().filter(line -> !line.startsWith("# ")))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).matches(sample));
  }

  private static double heartbeats() {
    return SERVER
        .metrics()
        .lines()
        .filter(line -> line.startsWith("muster_heartbeats_total "))
        .mapToDouble(line -> Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }
}
