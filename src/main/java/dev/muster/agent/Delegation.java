package dev.muster.agent;

import tools.jackson.databind.JsonNode;

/**
 * A task that was given to a peer.
 *
 * @param status {@code delegated} for a fresh one; later {@code queued}, {@code dispatched}, {@code
 *     in_progress}, {@code stuck}, {@code completed} or {@code failed}
 * @param result what the peer answered; {@code ""} until then
 * @param error why it failed; {@code ""} if it did not
 * @param raw all that the platform says of it
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

  /** Whether it is completed or failed, for good. */
  public boolean isOver() {
    return status.equals("completed") || status.equals("failed");
  }

  private static String text(JsonNode raw, String name) {
    return raw.path(name).asString("");
  }
}
