package dev.muster.delivery;

import dev.muster.platform.json.LosslessJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds JSON-RPC 2.0 responses. */
public final class JsonRpc {

  /** A failure that is no fault of the request. */
  public static final int INTERNAL_ERROR = -32603;

  private JsonRpc() {}

  /**
   * Builds an error response.
   *
   * @param id the id of the request; JSON null for a request without one
   * @param data more about the error; null for nothing
   */
  public static ObjectNode error(JsonNode id, int code, String message, @Nullable JsonNode data) {
    ObjectNode response = response(id);
    ObjectNode error = response.putObject("error").put("code", code).put("message", message);
    if (data != null) {
      error.set("data", data);
    }
    return response;
  }

  private static ObjectNode response(JsonNode id) {
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    response.set("id", id);
    return response;
  }

  /** Returns the response as one server-sent event. */
  public static byte[] event(JsonNode response) {
    return ("data: " + LosslessJson.write(response).text() + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
