package dev.muster.agent;

import tools.jackson.databind.JsonNode;

/**
 * Describes a task given to a peer. Texts are never null.
 *
 * @param status {@code delegated} for a new one; later {@code queued}, {@code dispatched}, {@code
 *     in_progress}, {@code stuck}, {@code completed} or {@code failed}
 * @param result the answer of the peer; {@code ""} until then
 * @param error why the delegation failed; {@code ""} if it did not
 * @param raw the server's JSON
 */
public record Delegation(
    String id, String targetId, String status, String result, String error, JsonNode raw) {

  static Delegation of(JsonNode raw) {
    String result = text(raw, "result");
    String error = text(raw, "error_detail");
    return new Delegation(
        text(raw, "delegation_id"),
        text(raw, "target_id"),
        text(raw, "status"),
        result.isEmpty() ? text(raw, "response_preview") : result,
        error.isEmpty() ? text(raw, "error") : error,
        raw);
  }

  /** Returns whether the delegation is completed or failed; both are final. */
  public boolean isOver() {
    return status.equals("completed") || status.equals("failed");
  }

  private static String text(JsonNode raw, String name) {
    return raw.path(name).asString("");
  }
}
