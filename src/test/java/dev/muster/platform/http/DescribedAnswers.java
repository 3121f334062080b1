package dev.muster.platform.http;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The examples of answers in the description. {@link RealExamplesTest} keeps them true. */
public final class DescribedAnswers {

  private static final JsonMapper JSON = JsonMapper.shared();

  private DescribedAnswers() {}

  /** Returns an object with the example of each operation that answers with JSON, by its id. */
  public static byte[] json() {
    ObjectNode answers = JSON.createObjectNode();
    for (JsonNode path : JSON.readTree(ApiDescription.json()).path("paths")) {
      for (JsonNode operation : path) {
        JsonNode example =
            operation.path("responses").path("200").at("/content/application~1json/example");
        if (!example.isMissingNode()) {
          answers.set(operation.path("operationId").asString(), example);
        }
      }
    }
    return JSON.writeValueAsBytes(answers);
  }
}
