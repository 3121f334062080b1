package dev.muster.agent;

import java.net.URI;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Describes an agent for its registration.
 *
 * @param card the agent card, a JSON object with at least a {@code name}
 * @param url the URL of a push agent; empty for a poll agent
 */
public record Registration(JsonNode card, Optional<URI> url) {

  public Registration {
    if (!card.isObject()) {
      throw new IllegalArgumentException("card: " + card.getNodeType() + " (expected: an object)");
    }
  }

  /** Makes the registration of a poll agent, for instance behind NAT or on a laptop. */
  public static Registration polling(String name) {
    return new Registration(named(name), Optional.empty());
  }

  /** Makes the registration of a push agent with this URL. */
  public static Registration pushed(String name, URI url) {
    return new Registration(named(name), Optional.of(url));
  }

  /** Returns a copy with another card. */
  public Registration withCard(JsonNode other) {
    return new Registration(other, url);
  }

  ObjectNode toJson(String workspaceId) {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("id", workspaceId);
    body.set("agent_card", card);
    body.put("delivery_mode", url.isPresent() ? "push" : "poll");
    url.ifPresent(known -> body.put("url", known.toString()));
    return body;
  }

  private static ObjectNode named(String name) {
    return JsonNodeFactory.instance.objectNode().put("name", name);
  }
}
