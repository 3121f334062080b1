package dev.muster.agent;

import java.time.Duration;
import java.util.Set;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Holds a response of the server; {@code body} is a missing node when it is not JSON. */
record ServerResponse(int status, JsonNode body, Duration retryAfter) {

  /** Carries the server's {@code Retry-After} under a name that OkHttp ignores. */
  static final String RETRY_AFTER = "X-Muster-Retry-After";

  private static final Set<String> OF_PEERS =
      Set.of(
          "AGENT_UNREACHABLE",
          "AGENT_TIMEOUT",
          MusterException.OF_AGENT,
          "AGENT_URL_NOT_ALLOWED",
          "BAD_AGENT_RESPONSE",
          "WORKSPACE_PAUSED",
          "QUEUE_FULL");

  static ServerResponse of(Response response, byte[] body) {
    return new ServerResponse(response.code(), json(body), seconds(response.header(RETRY_AFTER)));
  }

  private static JsonNode json(byte[] body) {
    try {
      return body.length == 0
          ? JsonNodeFactory.instance.missingNode()
          : JsonMapper.shared().readTree(body);
    } catch (JacksonException e) {
      return JsonNodeFactory.instance.missingNode();
    }
  }

  private static Duration seconds(@Nullable String header) {
    boolean whole = header != null && header.matches("\\d{1,4}");
    return whole ? Duration.ofSeconds(Integer.parseInt(header)) : Duration.ZERO;
  }

  boolean isSuccess() {
    return status / 100 == 2;
  }

  /** Returns whether a retry may succeed; {@code forPeers} includes errors of the peer. */
  boolean mayPass(boolean forPeers) {
    boolean ofPeer = OF_PEERS.contains(code());
    return status == 429 || (status >= 500 && (forPeers || !ofPeer));
  }

  String code() {
    return body.path("code").asString("");
  }

  MusterException failure(ServerRequest call) {
    String said = body.path("error").asString(body.path("detail").asString(""));
    String text =
        "%s %s was answered with %d%s%s"
            .formatted(
                call.method(),
                call.path().replaceFirst("\\?.*", ""),
                status,
                code().isEmpty() ? "" : " " + code(),
                said.isEmpty() ? "" : ": " + said);
    return new MusterException(status, code(), text, body.path("deleted").asBoolean(false), null);
  }
}
