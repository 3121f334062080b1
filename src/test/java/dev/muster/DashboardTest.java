package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts use only metrics that a server exports. */
class DashboardTest {

  private static final Path RULES = Path.of("docker/prometheus/alerts.yml");
  private static final Path DASHBOARD = Path.of("docker/grafana/dashboards/muster.json");

  private static final Path METRICS = Path.of("docs/operate/metrics-alerts.md");
  private static final Path RUNBOOK = Path.of("docs/operate/runbook.md");

  private static final Pattern METRIC =
      Pattern.compile("\\b(?:muster|http_server|hikaricp|jvm|process)_[a-z0-9_]+");

  @Test
  void queriesOnlyMetricsThatAServerExports() throws IOException {
    Set<String> asked = new TreeSet<>(names(dashboardExpressions()));
    String rules =
        Files.readAllLines(RULES).stream()
            .filter(line -> !line.matches("\\s*(#|summary:|action:|- record:).*"))
            .collect(Collectors.joining("\n"));
    asked.addAll(names(rules));
    assertThat(asked).hasSizeGreaterThan(20);
    TestServer.shared(); // its start may take longer than the timeout below
    Awaitility.await().untilAsserted(() -> assertThat(shown()).containsAll(asked));
  }

  /**
   * Each metric in the sources has a row in the metrics page, and each metric of that page exists.
   */
  @Test
  void isExplainedByThePageOfMetrics() throws IOException {
    Set<String> explained = new TreeSet<>();
    for (String line : Files.readAllLines(METRICS)) {
      if (line.startsWith("| `muster_")) {
        names(line.split("\\|", -1)[1])
            .forEach(name -> explained.add(name.replaceFirst("_(total|seconds)$", "")));
      }
    }
    Set<String> made = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        firstGroups("\\.builder\\(\\s*\"(muster\\.[a-z0-9.]+)\"", source)
            .forEach(name -> made.add(name.replace('.', '_')));
      }
    }

    assertThat(made).hasSizeGreaterThan(25);
    assertThat(explained).containsExactlyElementsOf(made);
  }

  /** The runbook has a section for each alert. */
  @Test
  void hasASectionOfTheRunbookForEachAlert() throws IOException {
    List<String> alerts = firstGroups("(?m)^ *- alert: (\\w+)$", RULES);
    List<String> sections = firstGroups("(?m)^### (Muster\\w+)$", RUNBOOK);

    assertThat(alerts).hasSizeGreaterThan(15);
    assertThat(sections).containsExactlyInAnyOrderElementsOf(alerts);
  }

  private static List<String> firstGroups(String pattern, Path file) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(file))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** Each problem of an agent or delegation has an alert and a row in a dashboard table. */
  @Test
  void showsAgentsAndDelegationsThatNeedAttention() throws IOException {
    String rules = Files.readString(RULES);
    JsonNode worst = null;
    for (JsonNode panel :
        JsonMapper.builder().build().readTree(Files.readString(DASHBOARD)).path("panels")) {
      worst = panel.path("title").asString("").equals("The worst") ? panel : worst;
    }

    assertThat(rules)
        .contains("muster:workspaces{status=\"degraded\"} > 0")
        .contains("muster:workspaces{status=\"offline\"} > 0")
        .contains("muster_delegations{status=\"stuck\"} >= 0) > 0");
    assertThat(Objects.requireNonNull(worst, "the worst").path("type").asString(""))
        .isEqualTo("table");
    assertThat(String.join(" ", worst.findValuesAsString("expr")))
        .contains("degraded|offline|failed", "muster_workspaces_stalled", "stuck");
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

  /** Every metric name of a server that has served at least one request of each kind. */
  private static Set<String> shown() {
    TestServer server = TestServer.shared();
    server.client().createOnline("Shown");
    return server
        .metrics()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]", 2)[0])
        .collect(Collectors.toSet());
  }
}
