package dev.muster.agent;

import tools.jackson.databind.JsonNode;

/**
 * Describes a workspace that this one may send messages to. Texts are never null.
 *
 * @param url the URL of a push agent; {@code ""} for a poll agent
 * @param raw the server's JSON
 */
public record Peer(
    String id,
    String name,
    String role,
    String status,
    String url,
    String deliveryMode,
    JsonNode raw) {

  static Peer of(JsonNode raw) {
    return new Peer(
        text(raw, "id"),
        text(raw, "name"),
        text(raw, "role"),
        text(raw, "status"),
        text(raw, "url"),
        text(raw, "delivery_mode"),
        raw);
  }

  private static String text(JsonNode raw, String name) {
    return raw.path(name).asString("");
  }
}
