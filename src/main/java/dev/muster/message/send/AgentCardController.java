package dev.muster.message.send;

import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aVersion;
import dev.muster.workspace.AgentCard;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Serves an agent's card to A2A clients (R7.12). Its urls point to the proxy, which forwards to the
 * agent.
 */
@RestController
class AgentCardController {

  private static final String JSON_RPC = "JSONRPC";

  /** The other interfaces of a card of A2A 0.3. */
  private static final String ADDITIONAL = "additionalInterfaces";

  /** All interfaces of a card of A2A 1.0. */
  private static final String SUPPORTED = "supportedInterfaces";

  private final Workspaces workspaces;
  private final PublicUrl publicUrl;

  AgentCardController(Workspaces workspaces, PublicUrl publicUrl) {
    this.workspaces = workspaces;
    this.publicUrl = publicUrl;
  }

  @GetMapping("/workspaces/{id}/.well-known/agent-card.json")
  @RouteAccess(CallerKind.VIEWER)
  RawJson card(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    DeliveryTarget agent = workspaces.requireTarget(id, caller);
    RawJson stored =
        workspaces
            .card(id, caller)
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "the agent of this workspace has not given a card yet (it does when it"
                        + " registers)"));
    return through(publicUrl.of(request) + "/workspaces/" + id + "/a2a", agent, stored);
  }

  /**
   * Replaces the urls of the card, of A2A 0.3 and 1.0, by {@code proxyUrl}. Removes interfaces of
   * other transports, since the proxy supports only JSON-RPC, and adds its own where none is left.
   * A signed card stays unchanged, since any change would invalidate its signatures.
   */
  private static RawJson through(String proxyUrl, DeliveryTarget agent, RawJson stored) {
    JsonNode parsed = LosslessJson.parse(stored.text().getBytes(StandardCharsets.UTF_8));
    if (!(parsed instanceof ObjectNode card) || isSigned(card)) {
      return stored;
    }
    ObjectNode shown = JsonMembers.copy(card);
    if (card.has("url") || !card.path(SUPPORTED).isArray()) {
      shown.put("url", proxyUrl);
    }
    if (card.has("preferredTransport")) {
      shown.put("preferredTransport", JSON_RPC);
    }
    if (card.path(ADDITIONAL).isArray()) {
      shown.set(ADDITIONAL, at(proxyUrl, jsonRpc(card.path(ADDITIONAL))));
    }
    if (card.path(SUPPORTED).isArray()) {
      shown.set(SUPPORTED, at(proxyUrl, reachable(jsonRpc(card.path(SUPPORTED)), agent)));
    }
    if (agent.deliveryMode() == DeliveryMode.POLL) {
      withoutStreams(shown);
    }
    return LosslessJson.write(shown);
  }

  private static boolean isSigned(ObjectNode card) {
    JsonNode signatures = card.path("signatures");
    return signatures.isArray() && !signatures.isEmpty();
  }

  private static List<ObjectNode> jsonRpc(JsonNode interfaces) {
    List<ObjectNode> found = new ArrayList<>();
    for (JsonNode one : interfaces) {
      if (one instanceof ObjectNode known && AgentCard.isJsonRpc(known)) {
        found.add(known);
      }
    }
    return found;
  }

  /**
   * Returns the interfaces of A2A 1.0 that the proxy leads to. Messages to a push agent go to one
   * url: those of other urls are left out. A poll agent takes messages of each version.
   */
  private static List<ObjectNode> reachable(List<ObjectNode> interfaces, DeliveryTarget agent) {
    List<ObjectNode> reachable =
        agent.deliveryMode() == DeliveryMode.POLL
            ? interfaces
            : interfaces.stream()
                .filter(one -> one.path("url").asString("").equals(agent.url()))
                .toList();
    if (!reachable.isEmpty()) {
      return reachable;
    }
    A2aVersion version = Objects.requireNonNullElse(agent.agentProtocol(), A2aVersion.V1_0);
    return List.of(
        JsonNodeFactory.instance
            .objectNode()
            .put("url", "")
            .put("protocolBinding", JSON_RPC)
            .put("protocolVersion", version.wire()));
  }

  private static ArrayNode at(String proxyUrl, List<ObjectNode> interfaces) {
    ArrayNode replaced = JsonNodeFactory.instance.arrayNode();
    interfaces.forEach(one -> replaced.add(JsonMembers.copy(one).put("url", proxyUrl)));
    return replaced;
  }

  /** A poll agent's answer comes as a message of its own, and not as a stream. */
  private static void withoutStreams(ObjectNode card) {
    if (card.get("capabilities") instanceof ObjectNode capabilities
        && capabilities.has("streaming")) {
      card.set("capabilities", JsonMembers.copy(capabilities).put("streaming", false));
    }
  }
}
