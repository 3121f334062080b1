package dev.muster.agent;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Describes one request to the server; all attempts send the same. */
record ServerRequest(
    String method,
    String path,
    @Nullable JsonNode body,
    Map<String, String> headers,
    RequestTimeouts timeouts,
    CancellationToken cancellation) {

  static ServerRequest get(String path, RequestTimeouts timeouts) {
    return new ServerRequest("GET", path, null, Map.of(), timeouts, new CancellationToken());
  }

  static ServerRequest post(String path, JsonNode body, RequestTimeouts timeouts) {
    return new ServerRequest("POST", path, body, Map.of(), timeouts, new CancellationToken());
  }

  ServerRequest with(String header, String value) {
    return new ServerRequest(method, path, body, Map.of(header, value), timeouts, cancellation);
  }

  ServerRequest endedBy(CancellationToken other) {
    return new ServerRequest(method, path, body, headers, timeouts, other);
  }
}
