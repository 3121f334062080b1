package dev.muster.agent;

import tools.jackson.databind.JsonNode;

/**
 * A workspace that this one may talk to. Texts are never null.
 *
 * @param url where it is called; {@code ""} for one that polls
 * @param raw all that the platform says of it
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
