package dev.muster.agent;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One request to the platform; all attempts send the same. */
record PlatformCall(
    String method,
    String path,
    @Nullable JsonNode body,
    Map<String, String> headers,
    Patience patience,
    Cancellation cancellation) {

  static PlatformCall get(String path, Patience patience) {
    return new PlatformCall("GET", path, null, Map.of(), patience, new Cancellation());
  }

  static PlatformCall post(String path, JsonNode body, Patience patience) {
    return new PlatformCall("POST", path, body, Map.of(), patience, new Cancellation());
  }

  PlatformCall with(String header, String value) {
    return new PlatformCall(method, path, body, Map.of(header, value), patience, cancellation);
  }

  PlatformCall endedBy(Cancellation other) {
    return new PlatformCall(method, path, body, headers, patience, other);
  }
}
