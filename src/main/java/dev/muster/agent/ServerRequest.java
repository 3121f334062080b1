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
    RequestTimeouts timeout,
    CancellationToken cancellation) {

  static ServerRequest get(String path, RequestTimeouts timeout) {
    return new ServerRequest("GET", path, null, Map.of(), timeout, new CancellationToken());
  }

  static ServerRequest post(String path, JsonNode body, RequestTimeouts timeout) {
    return new ServerRequest("POST", path, body, Map.of(), timeout, new CancellationToken());
  }

  ServerRequest with(String header, String value) {
    return new ServerRequest(method, path, body, Map.of(header, value), timeout, cancellation);
  }

  ServerRequest endedBy(CancellationToken other) {
    return new ServerRequest(method, path, body, headers, timeout, other);
  }
}
