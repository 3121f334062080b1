package dev.muster.live;

import dev.muster.platform.text.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** Takes members out of the stored payload of an event; their bytes are unchanged (R0.8). */
final class PayloadMembers {

  /** Has no size limits, so that every stored payload can be read. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .build();

  private PayloadMembers() {}

  /** Returns the JSON text of the wanted members, by name and in their order. */
  static Map<String, String> of(RawJson payload, Predicate<String> wanted) {
    String text = payload.text();
    Map<String, String> members = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        parser.nextToken();
        long start = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        long end = parser.currentLocation().getCharOffset();
        if (wanted.test(name)) {
          members.put(name, text.substring((int) start, (int) end));
        }
      }
    }
    return members;
  }
}
