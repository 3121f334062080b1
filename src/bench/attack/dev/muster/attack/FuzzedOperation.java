package dev.muster.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * One operation of the API description: its call, and examples of its body.
 *
 * @param fields names of body fields in the description, at any depth
 */
record FuzzedOperation(
    String method,
    String path,
    List<Parameter> parameters,
    List<JsonNode> bodies,
    List<String> fields) {

  /** {@code in} is query or header. */
  record Parameter(String name, String in) {}

  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  private static final int MAX_DEPTH = 12;

  /** Fields of bodies that the description of an operation mentions. */
  private static final Pattern NAMED = Pattern.compile("`(?:params\\.)?([a-z_]+)`");

  static List<FuzzedOperation> read(JsonNode description) {
    List<FuzzedOperation> operations = new ArrayList<>();
    for (var path : description.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        if (METHODS.contains(operation.getKey())) {
          operations.add(
              read(description, path.getKey(), operation.getKey(), operation.getValue()));
        }
      }
    }
    return operations;
  }

  private static FuzzedOperation read(
      JsonNode description, String path, String method, JsonNode operation) {
    List<Parameter> parameters = new ArrayList<>();
    for (JsonNode named : operation.path("parameters")) {
      JsonNode parameter =
          named.has("$ref") ? description.at(named.path("$ref").asString().substring(1)) : named;
      if (!parameter.path("in").asString("").equals("path")) {
        parameters.add(
            new Parameter(parameter.path("name").asString(""), parameter.path("in").asString("")));
      }
    }
    List<JsonNode> bodies = new ArrayList<>();
    JsonNode content = operation.path("requestBody").path("content").path("application/json");
    for (JsonNode example : content.path("examples")) {
      bodies.add(example.path("value"));
    }
    if (content.has("example")) {
      bodies.add(content.path("example"));
    }
    Set<String> fields = new TreeSet<>();
    addFields(description, content.path("schema"), MAX_DEPTH, fields);
    if (!bodies.isEmpty()) {
      NAMED
          .matcher(operation.path("description").asString(""))
          .results()
          .forEach(name -> fields.add(name.group(1)));
    }
    return new FuzzedOperation(
        method.toUpperCase(Locale.ROOT), path, parameters, bodies, List.copyOf(fields));
  }

  private static void addFields(
      JsonNode description, JsonNode schema, int depth, Set<String> fields) {
    if (schema.has("$ref")) {
      JsonNode referred = description.at(schema.path("$ref").asString().substring(1));
      addFields(description, referred, depth, fields);
      return;
    }
    fields.addAll(schema.path("properties").propertyNames());
    if (depth > 0) {
      for (JsonNode part : schema) {
        addFields(description, part, depth - 1, fields);
      }
    }
  }
}
