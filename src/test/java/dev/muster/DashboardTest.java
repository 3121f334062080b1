package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
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

  /** A row of the page: name, labels, meaning. */
  private static final Pattern EXPLAINED =
      Pattern.compile("\\| `(muster_\\w+)(?:\\{([\\w,]+)})?` \\| (.*) \\|");

  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

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
   * Each metric in the sources has a row in the page of metrics. Each row has the labels and begins
   * with the help text that a server exports.
   */
  @Test
  void isExplainedByThePageOfMetrics() throws Exception {
    Map<String, String> explained = new TreeMap<>();
    for (String line : Files.readAllLines(METRICS)) {
      Matcher row = EXPLAINED.matcher(line);
      if (row.matches()) {
        Set<String> labels =
            new TreeSet<>(Arrays.asList(Objects.requireNonNullElse(row.group(2), "").split(",")));
        explained.put(row.group(1) + labels, row.group(3));
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
    assertThat(explained.keySet())
        .extracting(metric -> metric.replaceFirst("(_total|_seconds)?\\[.*", ""))
        .containsExactlyInAnyOrderElementsOf(made);

    useAll();
    Awaitility.await()
        .untilAsserted(() -> {
          Map<String, String> exported = exported();
          assertThat(exported).containsOnlyKeys(explained.keySet());
          assertThat(exported)
              .allSatisfy((metric, help) -> assertThat(explained.get(metric)).startsWith(help));
        });
  }

  /** Makes the series that a server has only after a use. */
  private static void useAll() throws IOException {
    TestClient client = TestServer.shared().client();
    try (TestPeer peer = TestPeer.start()) {
      Agent caller = client.createOnline("Caller");
      Agent callee =
          client.createOnline(
              "Callee",
              "\"parent_id\":\"" + caller.id() + "\"",
              "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
      String path = "/workspaces/" + caller.id();
      client.post(
          "/workspaces/" + callee.id() + "/a2a",
          TestServer.ADMIN_TOKEN,
          "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m\",\"parts\":[]}}}");
      client.post(
          path + "/runtime-events",
          caller.token(),
          "{\"type\":\"RuntimeStart\",\"payload\":{\"task_name\":\"t\",\"runtime_name\":\"r\",\"language\":\"l\"}}");
      String id = "measured-" + caller.id();
      client.post(
          path + "/delegations/record",
          caller.token(),
          "{\"target_id\":\"%s\",\"task\":\"t\",\"delegation_id\":\"%s\"}"
              .formatted(callee.id(), id));
      client.post(
          path + "/delegations/" + id + "/update", caller.token(), "{\"status\":\"completed\"}");
    }
  }

  /** The help text of each metric, by its name and its labels. */
  private static Map<String, String> exported() {
    Map<String, String> help = new TreeMap<>();
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : TestServer.shared().metrics().lines().toList()) {
      if (line.startsWith("# HELP muster_")) {
        String[] words = line.split(" ", 4);
        help.put(words[2], words[3]);
      } else if (line.startsWith("muster_")) {
        String name = line.split("[{ ]", 2)[0];
        String family = help.containsKey(name) ? name : name.replaceFirst("_[a-z]+$", "");
        LABEL
            .matcher(line)
            .results()
            .map(label -> label.group(1))
            .filter(label -> !label.equals("le"))
            .forEach(label -> labels.computeIfAbsent(family, any -> new TreeSet<>()).add(label));
      }
    }
    help.keySet()
        .removeIf(
            name -> name.endsWith("_max") && help.containsKey(name.replaceFirst("_max$", "")));
    return help.entrySet().stream()
        .collect(
            Collectors.toMap(
                metric -> metric.getKey() + labels.getOrDefault(metric.getKey(), Set.of("")),
                Map.Entry::getValue));
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
