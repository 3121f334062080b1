package dev.muster.agent;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Lists the errors of JSON-RPC 2.0 (section 5.1 of its specification). */
enum JsonRpcError {
  PARSE_ERROR(-32700),
  INVALID_REQUEST(-32600),
  METHOD_NOT_FOUND(-32601),
  INVALID_PARAMS(-32602),
  INTERNAL(-32603);

  private final int code;

  JsonRpcError(int code) {
    this.code = code;
  }

  /** Builds an error response; {@code id} is the request's id, or null. */
  JsonNode answer(@Nullable JsonNode id, String text) {
    ObjectNode response = envelope(id);
    response.putObject("error").put("code", code).put("message", text);
    return response;
  }

  static ObjectNode envelope(@Nullable JsonNode id) {
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    boolean usable = id != null && (id.isString() || id.isNumber());
    response.set("id", usable ? id : JsonNodeFactory.instance.nullNode());
    return response;
  }
}
