package dev.muster.a2a;

import dev.muster.identity.Admits;
import dev.muster.identity.Admits.Who;
import dev.muster.identity.Caller;
import dev.muster.platform.http.PlatformUrl;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Where A2A clients look for an agent's card (R7.12). */
@RestController
class AgentCardController {

  private final Workspaces workspaces;
  private final PlatformUrl platformUrl;

  AgentCardController(Workspaces workspaces, PlatformUrl platformUrl) {
    this.workspaces = workspaces;
    this.platformUrl = platformUrl;
  }

  @GetMapping("/workspaces/{id}/.well-known/agent-card.json")
  @Admits(Who.VIEWER)
  RawJson card(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    RawJson stored =
        workspaces
            .card(id, caller)
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "the agent of this workspace has not given a card yet (it does when it"
                        + " registers)"));
    return AgentCards.through(platformUrl.of(request) + "/workspaces/" + id + "/a2a", stored);
  }
}
