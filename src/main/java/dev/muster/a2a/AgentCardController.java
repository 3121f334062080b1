package dev.muster.a2a;

import dev.muster.delivery.JsonMembers;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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

  private final Workspaces workspaces;
  private final PublicUrl publicUrl;

  AgentCardController(Workspaces workspaces, PublicUrl publicUrl) {
    this.workspaces = workspaces;
    this.publicUrl = publicUrl;
  }

  @GetMapping("/workspaces/{id}/.well-known/agent-card.json")
  @RouteAccess(CallerKind.VIEWER)
  RawJson card(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    RawJson stored =
        workspaces
            .card(id, caller)
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "the agent of this workspace has not given a card yet (it does when it"
                        + " registers)"));
    return through(publicUrl.of(request) + "/workspaces/" + id + "/a2a", stored);
  }

  /**
   * Replaces the urls of the card, of A2A 0.3 and 1.0, by {@code proxyUrl}. Removes interfaces of
   * other transports, since the proxy supports only JSON-RPC. A signed card stays unchanged, since
   * any change would invalidate its signatures.
   */
  private static RawJson through(String proxyUrl, RawJson stored) {
    JsonNode parsed = LosslessJson.parse(stored.text().getBytes(StandardCharsets.UTF_8));
    if (!(parsed instanceof ObjectNode card) || isSigned(card)) {
      return stored;
    }
    ObjectNode shown = JsonMembers.copy(card);
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
        reachable.add(JsonMembers.copy(known).put("url", proxyUrl));
      }
    }
    card.set(member, reachable);
  }
}
