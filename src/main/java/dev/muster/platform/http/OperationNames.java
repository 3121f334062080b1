package dev.muster.platform.http;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists the field and parameter names of each operation in the API description. */
@Component
final class OperationNames {

  private static final List<String> CHOICES = List.of("oneOf", "anyOf", "allOf");

  /**
   * The names of one operation.
   *
   * @param path the path template, such as {@code /workspaces/{id}}
   * @param fields the top-level fields of the body
   * @param parameters the query parameters
   */
  public record Operation(String method, String path, Set<String> fields, Set<String> parameters) {}

  private final JsonNode description = JsonMapper.shared().readTree(ApiDescription.json());

  /** Returns all operations in no order. */
  public List<Operation> all() {
    return description
        .path("paths")
        .propertyStream()
        .flatMap(path ->
            path.getValue()
                .propertyStream()
                .map(method ->
                    operation(
                        method.getKey().toUpperCase(Locale.ROOT),
                        path.getKey(),
                        method.getValue())))
        .toList();
  }

  private Operation operation(String method, String path, JsonNode operation) {
    Set<String> parameters = new HashSet<>();
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode whole = resolved(parameter);
      if (whole.path("in").asString("").equals("query")) {
        parameters.add(whole.path("name").asString(""));
      }
    }
    Set<String> fields = new HashSet<>();
    JsonNode body = resolved(operation.path("requestBody"));
    addFields(body.path("content").path("application/json").path("schema"), fields);
    return new Operation(method, path, Set.copyOf(fields), Set.copyOf(parameters));
  }

  /** Collects the fields of a schema; for an array, those of its items. */
  private void addFields(JsonNode reference, Set<String> fields) {
    JsonNode schema = resolved(reference);
    fields.addAll(schema.path("properties").propertyNames());
    for (String choice : CHOICES) {
      schema.path(choice).forEach(one -> addFields(one, fields));
    }
    if (schema.has("items")) {
      addFields(schema.path("items"), fields);
    }
  }

  private JsonNode resolved(JsonNode node) {
    String reference = node.path("$ref").asString("");
    return reference.isEmpty() ? node : resolved(description.at(reference.substring(1)));
  }
}
