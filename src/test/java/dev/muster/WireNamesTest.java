package dev.muster;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventType;
import dev.muster.event.LastValue;
import dev.muster.event.LiveEvent;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Names on the wire stay as the files in {@code src/test/resources/wire} say; {@code -Dupdate-docs}
 * writes these files. A line that changes or vanishes breaks clients.
 */
class WireNamesTest {

  private static final Path FILES = Path.of("src/test/resources/wire");
  private static final Path CONTRACT = Path.of("docs/api.md");

  /** The metrics of section 11 of the contract. */
  private static final Pattern METRIC =
      Pattern.compile(
          "(http_server_requests_seconds_(?:count|sum|bucket)|muster_(?:workspaces|heartbeats_total"
              + "|status_transitions_total|commit_batch_size\\w*|commit_batch_seconds\\w*"
              + "|delegations|sweep_\\w+|a2a_attempts_total|polls_waiting|queue_depth|streams))"
              + "(?:\\{(.*)})? \\S+");

  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  private static final TestClient CLIENT = TestServer.shared().client();

  @Test
  void errorCodesKeepTheirNamesAndStatuses() throws IOException {
    compare(
        "error-codes.txt",
        Arrays.stream(ErrorCode.values()).map(code -> code + " " + code.status().value()).toList());
  }

  @Test
  void eventsKeepTheirNames() throws IOException {
    compare("events.txt", events());
  }

  /** Paths, parameters, fields, and the words that a field can have. */
  @Test
  void routesAndFieldsKeepTheirNames() throws IOException {
    JsonNode description = CLIENT.get("/v3/api-docs", null).json();
    Set<String> found = new TreeSet<>();
    JsonNode components = description.path("components");
    components
        .path("schemas")
        .properties()
        .forEach(schema -> addFields(schema.getKey(), schema.getValue(), found));
    components
        .path("parameters")
        .properties()
        .forEach(named -> addParameter("parameter " + named.getKey(), named.getValue(), found));
    for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        String route = operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey();
        found.add(route);
        operation.getValue().path("parameters").forEach(p -> addParameter(route, p, found));
        addBody(route + " request", operation.getValue().path("requestBody"), found);
        operation
            .getValue()
            .path("responses")
            .properties()
            .forEach(answer -> addBody(route + " " + answer.getKey(), answer.getValue(), found));
      }
    }
    assertThat(found).isNotEmpty();
    compare("fields.txt", found);
  }

  @Test
  void metricsOfTheContractKeepTheirNamesAndLabels() throws Exception {
    Agent agent = CLIENT.createOnline("Measured");
    try (TestPeer peer = TestPeer.start()) {
      CLIENT.post(
          "/registry/register",
          agent.token(),
          "{\"id\":\"%s\",\"agent_card\":{\"name\":\"x\"},\"url\":\"%s\",\"delivery_mode\":\"push\"}"
              .formatted(agent.id(), peer.url()));
      CLIENT.post(
          "/workspaces/" + agent.id() + "/a2a",
          ADMIN_TOKEN,
          "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m\",\"parts\":[]}}}");
    }
    // some appear with the first run of a sweep
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(metrics())
                .anyMatch(metric -> metric.startsWith("muster_a2a_attempts_total{"))
                .anyMatch(metric -> metric.startsWith("muster_sweep_runs_total{"))
                .anyMatch(metric -> metric.startsWith("muster_status_transitions_total{")));
    compare("metrics.txt", metrics());
  }

  @Test
  void theContractNamesAllErrorCodesAndEvents() throws IOException {
    String contract = Files.readString(CONTRACT);
    Stream<String> codes = Arrays.stream(ErrorCode.values()).map(ErrorCode::name);
    Stream<String> events = events().stream().map(event -> event.split(" ", 2)[0]);
    assertThat(Stream.of(codes, events, Stream.of("REPLAY_GAP")).flatMap(names -> names))
        .hasSizeGreaterThan(60)
        .allSatisfy(name -> assertThat(contract).containsPattern("(?<!\\w)" + name + "(?!\\w)"));
  }

  private static List<String> events() {
    return Stream.of(
            Arrays.stream(EventType.values()).map(type -> type + " recorded"),
            Arrays.stream(LiveEvent.Kind.values()).map(kind -> kind + " live"),
            Arrays.stream(LastValue.Kind.values()).map(kind -> kind + " last value"))
        .flatMap(names -> names)
        .toList();
  }

  private static void addBody(String at, JsonNode body, Set<String> found) {
    for (JsonNode content : body.path("content")) {
      addFields(at, content.path("schema"), found);
    }
  }

  private static void addParameter(String at, JsonNode parameter, Set<String> found) {
    if (parameter.has("name")) {
      String name =
          at + " " + parameter.path("in").asString() + " " + parameter.path("name").asString();
      found.add(name);
      addFields(name, parameter.path("schema"), found);
    } else {
      found.add(at + " " + reference(parameter));
    }
  }

  private static String reference(JsonNode node) {
    String whole = node.path("$ref").asString("");
    return whole.substring(whole.lastIndexOf('/') + 1);
  }

  /** Adds one line for each field below {@code at}, reference, and word of an enumeration. */
  private static void addFields(String at, JsonNode schema, Set<String> found) {
    if (schema.has("$ref") && !reference(schema).equals("Problem")) {
      found.add(at + ": " + reference(schema));
    }
    for (JsonNode word : schema.path("enum")) {
      found.add(at + " = " + word.asString("null"));
    }
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      String name = at + "." + field.getKey();
      found.add(name);
      addFields(name, field.getValue(), found);
    }
    for (String list : List.of("allOf", "oneOf", "anyOf")) {
      schema.path(list).forEach(part -> addFields(at, part, found));
    }
    if (schema.has("items")) {
      addFields(at + "[]", schema.path("items"), found);
    }
    if (schema.has("additionalProperties")) {
      addFields(at + ".*", schema.path("additionalProperties"), found);
    }
  }

  private static List<String> metrics() {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : TestServer.shared().metrics().lines().toList()) {
      Matcher series = METRIC.matcher(line);
      if (series.matches()) {
        Set<String> ofMetric = labels.computeIfAbsent(series.group(1), name -> new TreeSet<>());
        if (series.group(2) != null) {
          LABEL.matcher(series.group(2)).results().forEach(label -> ofMetric.add(label.group(1)));
        }
      }
    }
    return labels.entrySet().stream()
        .map(metric -> metric.getKey() + "{" + String.join(",", metric.getValue()) + "}")
        .toList();
  }

  private static void compare(String file, Collection<String> found) throws IOException {
    String text = String.join("\n", new TreeSet<>(found)) + "\n";
    if (Boolean.getBoolean("update-docs")) {
      Files.createDirectories(FILES);
      Files.writeString(FILES.resolve(file), text);
    }
    assertThat(text.lines())
        .as(
            "the names in %s. Adding one: mvn test -Dtest=WireNamesTest -Dupdate-docs=true."
                + " Renaming or removing one breaks clients",
            FILES.resolve(file))
        .containsExactlyElementsOf(Files.readAllLines(FILES.resolve(file)));
  }
}
