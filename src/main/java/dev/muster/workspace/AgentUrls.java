package dev.muster.workspace;

import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.json.JsonBody;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.Decision;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Checks agent urls before the registry stores them (R3.2, R3.3). */
@Component
class AgentUrls {

  /** The most characters of a url. A longer url is refused, since a cut url leads elsewhere. */
  static final int MAX_LENGTH = 4096;

  private final AgentUrlGuard guard;

  AgentUrls(AgentUrlGuard guard) {
    this.guard = guard;
  }

  /** Refuses a url that must not be called; the refusal never names an address. */
  void requireCallable(String field, String url) {
    if (guard.check(url, RequestOwner.current())
        instanceof Decision.Refused(String label, String reason)) {
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

  /** Checks the card's url of a push workspace. Poll workspaces are never called. */
  void requireCallableCard(DeliveryMode mode, RawJson card) {
    if (mode == DeliveryMode.PUSH) {
      cardUrl(card).ifPresent(url -> requireCallable("agent_card.url", url));
    }
  }

  /** Returns the card's url, if it is usable. */
  static Optional<String> cardUrl(RawJson card) {
    return cardText(card, "url", MAX_LENGTH).filter(DeliveryMode::isUsable);
  }

  /** Returns the agent's name in the card, if there is one. */
  static Optional<String> cardName(RawJson card) {
    return cardText(card, "name", WorkspaceName.MAX_LENGTH).flatMap(WorkspaceName::made);
  }

  private static Optional<String> cardText(RawJson card, String field, int maxCodePoints) {
    JsonBody body = JsonBody.parse(card.text().getBytes(StandardCharsets.UTF_8));
    return body.isText(field) ? body.text(field, maxCodePoints) : Optional.empty();
  }
}
