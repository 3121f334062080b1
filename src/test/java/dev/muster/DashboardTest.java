package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What dashboard and alerts ask for is what a server shows: a graph of nothing helps nobody. */
class DashboardTest {

  private static final Path RULES = Path.of("docker/prometheus/alerts.yml");
  private static final Path DASHBOARD = Path.of("docker/grafana/dashboards/muster.json");

  /** Of parts that are still being built: take a name out here as soon as the server shows it. */
  private static final Set<String> NOT_THERE_YET =
      Set.of(
          "muster_streams",
          "muster_streams_closed_total",
          "muster_liveness_suspended",
          "muster_sweep_runs_total",
          "muster_sweep_seconds_sum",
          "muster_sweep_seconds_count",
          "muster_sweep_transitions_total",
          "muster_sweep_errors_total",
          "muster_job_seconds_sum",
          "muster_job_seconds_count",
          "muster_job_failures_total");

  private static final Pattern METRIC =
      Pattern.compile("\\b(?:muster|http_server|hikaricp|jvm|process)_[a-z0-9_]+");

  @Test
  void asksOnlyForMetricsThatAServerShows() throws IOException {
    Set<String> asked = new TreeSet<>(names(dashboardExpressions()));
    String rules =
        Files.readAllLines(RULES).stream()
            .filter(line -> !line.matches("\\s*(#|summary:|action:|- record:).*"))
            .collect(Collectors.joining("\n"));
    asked.addAll(names(rules));
    assertThat(asked).hasSizeGreaterThan(20).containsAll(NOT_THERE_YET);

    asked.removeAll(NOT_THERE_YET);
    assertThat(shown()).containsAll(asked);
  }

  @Test
  void listsNothingAsMissingThatIsThere() {
    assertThat(shown()).doesNotContainAnyElementsOf(NOT_THERE_YET);
  }

  @Test
  void readsFromTheProvisionedDataSource() throws IOException {
    JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(DASHBOARD));
    String datasource =
        Files.readString(Path.of("docker/grafana/provisioning/datasources/prometheus.yml"));

    assertThat(datasource).contains("uid: prometheus");
    assertThat(dashboard.findValuesAsString("uid")).containsOnly("prometheus", "muster");
    assertThat(dashboard.findValues("gridPos")).hasSizeGreaterThan(20).doesNotHaveDuplicates();
  }

  private static String dashboardExpressions() throws IOException {
    JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(DASHBOARD));
    return String.join("\n", dashboard.findValuesAsString("expr"));
  }

  private static Set<String> names(String expressions) {
    return METRIC
        .matcher(expressions)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toSet());
  }

  /** Every name of a server on which something has happened. */
  private static Set<String> shown() {
    TestClient client = TestServer.shared().client();
    client.createOnline("Shown");
    return client
        .get("/metrics", null)
        .text()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]", 2)[0])
        .collect(Collectors.toSet());
  }
}
