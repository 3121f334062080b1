package dev.muster.workspace;

import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import dev.muster.workspace.AgentCard.Endpoint;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.Decision;
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
  private void requireCallable(String field, String url) {
    if (guard.check(url, RequestOwner.current())
        instanceof Decision.Refused(String label, String reason)) {
      throw new ProblemException(
          ErrorCode.AGENT_URL_NOT_ALLOWED,
          field
              + ": refused as "
              + label
              + " ("
              + reason
              + "; expected: an http or https url that may be called, or delivery_mode \"poll\" for"
              + " an agent that polls)");
    }
  }

  /** Checks the addresses of a push workspace. Poll workspaces are never called. */
  void requireCallable(DeliveryMode mode, String url, Optional<RawJson> card) {
    if (mode == DeliveryMode.PUSH) {
      Optional<Endpoint> ofTheCard = card.flatMap(known -> AgentCard.of(known).endpoint());
      if (DeliveryMode.isUsable(url) && !ofTheCard.map(Endpoint::url).equals(Optional.of(url))) {
        requireCallable("url", url);
      }
      ofTheCard.ifPresent(
          endpoint -> requireCallable("agent_card." + endpoint.member(), endpoint.url()));
    }
  }
}
