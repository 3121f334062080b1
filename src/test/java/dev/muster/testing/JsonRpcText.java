package dev.muster.testing;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Describes an agent's answer in one line, as {@code src/test/sdks/probes.py} does: the status, the
 * version and kind of the result, its state, its texts, and its id if that is not the request's.
 */
public final class JsonRpcText {

  private static final JsonMapper JSON = JsonMapper.shared();

  private JsonRpcText() {}

  public static String of(int status, String contentType, String text, JsonNode requestId) {
    try {
      if (!contentType.startsWith("text/event-stream")) {
        return status + " " + shape(JSON.readTree(text), requestId);
      }
      List<String> events =
          text.lines()
              .filter(line -> line.startsWith("data:"))
              .map(line -> shape(JSON.readTree(line.substring("data:".length())), requestId))
              .toList();
      return status + " stream of " + String.join(", ", events);
    } catch (JacksonException e) {
      return status + " " + text;
    }
  }

  private static String shape(JsonNode answer, JsonNode requestId) {
    JsonNode id = answer.path("id");
    boolean isItsOwn =
        id.equals(requestId)
            || ((id.isNull() || id.isMissingNode())
                && (requestId.isNull() || requestId.isMissingNode()));
    String foreign = isItsOwn ? "" : ", id " + (id.isMissingNode() ? "null" : id);
    if (answer.has("error")) {
      JsonNode error = answer.path("error");
      return "error " + error.path("code") + ": " + error.path("message").asString() + foreign;
    }
    JsonNode result = answer.path("result");
    if (result.has("kind")) {
      return described("0.3 " + result.path("kind").asString(), result) + foreign;
    }
    if (result.size() == 1) {
      String kind = result.propertyNames().iterator().next();
      return described("1.0 " + kind, result.path(kind)) + foreign;
    }
    return "unknown" + foreign;
  }

  private static String described(String kind, JsonNode content) {
    String state = content.path("status").path("state").asString("");
    List<String> said = new ArrayList<>();
    collectTexts(content, said);
    return kind
        + (state.isEmpty() ? "" : " " + state)
        + (said.isEmpty() ? "" : " \"" + String.join("|", said) + "\"");
  }

  private static void collectTexts(JsonNode node, List<String> texts) {
    for (JsonNode part : node.path("parts")) {
      if (part.has("text")) {
        texts.add(part.path("text").asString());
      }
    }
    for (var member : node.properties()) {
      if (!member.getKey().equals("parts") && !member.getKey().equals("history")) {
        if (member.getValue().isArray()) {
          member.getValue().forEach(one -> collectTexts(one, texts));
        } else {
          collectTexts(member.getValue(), texts);
        }
      }
    }
  }
}
