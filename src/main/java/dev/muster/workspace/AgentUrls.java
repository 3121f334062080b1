package dev.muster.workspace;

import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.json.JsonBody;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What the registry asks of an agent's url (R3.2, R3.3). */
@Component
class AgentUrls {

  /** Longer ones are refused, not cut: half a url leads elsewhere. */
  static final int MAX_LENGTH = 4096;

  private final AgentUrlGuard guard;

  AgentUrls(AgentUrlGuard guard) {
    this.guard = guard;
  }

  /** Refuses by label, never by address. */
  void requireCallable(String field, String url) {
    if (guard.check(url, owner()) instanceof Verdict.Refused(String label, String reason)) {
      throw new ProblemException(
          ErrorCode.AGENT_URL_NOT_ALLOWED,
          field
              + ": refused as "
              + label
              + " ("
              + reason
              + "; expected: an http or https url that may be called)");
    }
  }

  /** Whose share of the look-ups a check takes. */
  private static Object owner() {
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
        ? RequestOwner.of(current.getRequest())
        : "server";
  }

  /** Only push workspaces are called, so only their cards' urls are looked at. */
  void requireCallableCard(DeliveryMode mode, RawJson card) {
    if (mode == DeliveryMode.PUSH) {
      cardUrl(card).ifPresent(url -> requireCallable("agent_card.url", url));
    }
  }

  /** The url that a card names, if it names a usable one. */
  static Optional<String> cardUrl(RawJson card) {
    return cardText(card, "url", MAX_LENGTH).filter(DeliveryMode::isUsable);
  }

  /** The name that a card gives its agent. */
  static Optional<String> cardName(RawJson card) {
    return cardText(card, "name", WorkspaceName.MAX_LENGTH).flatMap(WorkspaceName::made);
  }

  private static Optional<String> cardText(RawJson card, String field, int maxCodePoints) {
    JsonBody body = JsonBody.parse(card.text().getBytes(StandardCharsets.UTF_8));
    return body.isText(field) ? body.text(field, maxCodePoints) : Optional.empty();
  }
}
