package dev.muster.workspace;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Tokens;
import dev.muster.identity.Tokens.TokenInfo;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Lists, mints and revokes the tokens of a workspace (docs/api.md, section 2). */
@RestController
class TokenController {

  /** Set on every response that may carry a token, so that no cache keeps it. */
  static final String NO_STORE = "no-store";

  private final Workspaces workspaces;
  private final Tokens tokens;
  private final TokenMinting minting;

  TokenController(Workspaces workspaces, Tokens tokens, TokenMinting minting) {
    this.workspaces = workspaces;
    this.tokens = tokens;
    this.minting = minting;
  }

  record TokenList(List<TokenInfo> tokens, int count) {}

  record Minted(String authToken, UUID workspaceId) {}

  @GetMapping("/workspaces/{id}/tokens")
  TokenList list(Caller caller, @PathVariable UUID id) {
    workspaces.requireSpeakerFor(id, caller);
    List<TokenInfo> live = tokens.liveOf(id);
    return new TokenList(live, live.size());
  }

  @PostMapping("/workspaces/{id}/tokens")
  @ResponseStatus(HttpStatus.CREATED)
  Minted mint(Caller caller, @PathVariable UUID id, HttpServletResponse response) {
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    workspaces.requireSpeakerFor(id, caller);
    return new Minted(minting.mint(id).token(), id);
  }

  /** Mints a token for an agent that lost its last one. */
  @PostMapping("/admin/workspaces/{id}/tokens")
  @ResponseStatus(HttpStatus.CREATED)
  Minted mintAsAdmin(Caller caller, @PathVariable UUID id, HttpServletResponse response) {
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    workspaces.existing(id);
    AccessChecks.requireAdmin(caller);
    return new Minted(minting.mint(id).token(), id);
  }

  @DeleteMapping("/workspaces/{id}/tokens/{tokenId}")
  Map<String, String> revoke(Caller caller, @PathVariable UUID id, @PathVariable UUID tokenId) {
    workspaces.requireSpeakerFor(id, caller);
    if (!tokens.revoke(id, tokenId)) {
      throw new ProblemException(ErrorCode.NOT_FOUND, "the workspace has no live token " + tokenId);
    }
    return Map.of("status", "revoked");
  }
}
