package dev.muster.a2a;

import dev.muster.delivery.Members;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Agents' cards as their peers get them (R7.12): their urls lead to the proxy, which knows the way
 * to the agent.
 */
final class AgentCards {

  private static final String JSON_RPC = "JSONRPC";

  private AgentCards() {}

  /**
   * The card with its urls, of A2A 0.3 and of 1.0, replaced by {@code proxyUrl}; interfaces of
   * other transports are left out, since the proxy speaks JSON-RPC. A signed card stays as it is:
   * any change would make its signatures lie.
   */
  static RawJson through(String proxyUrl, RawJson stored) {
    JsonNode parsed = LosslessJson.parse(stored.text().getBytes(StandardCharsets.UTF_8));
    if (!(parsed instanceof ObjectNode card) || isSigned(card)) {
      return stored;
    }
    ObjectNode shown = Members.copy(card);
    if (card.has("url") || !card.has("supportedInterfaces")) {
      shown.put("url", proxyUrl);
    }
    if (card.has("preferredTransport")) {
      shown.put("preferredTransport", JSON_RPC);
    }
    replaceInterfaces(shown, "additionalInterfaces", "transport", proxyUrl);
    replaceInterfaces(shown, "supportedInterfaces", "protocolBinding", proxyUrl);
    return LosslessJson.write(shown);
  }

  private static boolean isSigned(ObjectNode card) {
    JsonNode signatures = card.path("signatures");
    return signatures.isArray() && !signatures.isEmpty();
  }

  private static void replaceInterfaces(
      ObjectNode card, String member, String transport, String proxyUrl) {
    @Nullable JsonNode interfaces = card.get(member);
    if (interfaces == null || !interfaces.isArray()) {
      return;
    }
    ArrayNode reachable = JsonNodeFactory.instance.arrayNode();
    for (JsonNode one : interfaces) {
      if (one instanceof ObjectNode known
          && known.path(transport).asString(JSON_RPC).equalsIgnoreCase(JSON_RPC)) {
        reachable.add(Members.copy(known).put("url", proxyUrl));
      }
    }
    card.set(member, reachable);
  }
}
