package dev.muster.identity;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.muster.identity.RoleTokenRepository.Info;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Manages viewer and operator tokens (R1.7). */
@RestController
class RoleTokenController {

  private static final int MAX_NAME_LENGTH = 255;
  private static final long MAX_EXPIRES_IN_SECONDS = Duration.ofDays(3650).toSeconds();

  private final RoleTokenRepository repository;
  private final TokenCache cache;
  private final TransactionTemplate transactions;
  private final WholeReads reads;

  RoleTokenController(
      RoleTokenRepository repository,
      TokenCache cache,
      TransactionTemplate transactions,
      WholeReads reads) {
    this.repository = repository;
    this.cache = cache;
    this.transactions = transactions;
    this.reads = reads;
  }

  record Minted(@JsonUnwrapped Info info, String authToken) {}

  record TokenList(List<Info> tokens, int count) {}

  @PostMapping("/admin/tokens")
  @ResponseStatus(HttpStatus.CREATED)
  Minted mint(Caller caller, JsonBody body, HttpServletResponse response) {
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    String name = name(body);
    Role role = Role.of(body.requiredText("role", MAX_NAME_LENGTH));
    Optional<Duration> expiresIn =
        body.longInteger("expires_in_s", 1, MAX_EXPIRES_IN_SECONDS).map(Duration::ofSeconds);
    AccessChecks.requireAdmin(caller);
    requireMayGrant(caller, role);
    Secret secret = Secret.random();
    UUID id = UUID.randomUUID();
    AuditTrail.addTarget(id);
    Info info =
        transactions.execute(
            status -> repository.insert(id, name, role, secret, nameOf(caller), expiresIn));
    return new Minted(info, secret.text());
  }

  @GetMapping("/admin/tokens")
  TokenList list(Caller caller, HttpServletRequest request) {
    AccessChecks.requireAdmin(caller);
    List<Info> live = reads.run(RequestOwner.of(request), repository::live);
    return new TokenList(live, live.size());
  }

  @DeleteMapping("/admin/tokens/{tokenId}")
  Map<String, String> revoke(Caller caller, @PathVariable UUID tokenId) {
    AccessChecks.requireAdmin(caller);
    Info token = repository.find(tokenId).orElseThrow(() -> absent(tokenId));
    requireMayGrant(caller, token.role());
    SecretHash revoked =
        transactions.execute(
            status -> repository.revoke(tokenId, token.role()).orElseThrow(() -> absent(tokenId)));
    cache.forget(List.of(revoked));
    return Map.of("status", "revoked");
  }

  private static String name(JsonBody body) {
    return SessionController.requireOneLine(body.requiredText("name", MAX_NAME_LENGTH));
  }

  private static void requireMayGrant(Caller caller, Role role) {
    if (role == Role.OPERATOR && !(caller instanceof Caller.Admin)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "operators' tokens are minted and revoked with the admin token alone");
    }
  }

  private static String nameOf(Caller caller) {
    return caller instanceof Caller.Operator(UUID id, String name) ? name : "admin";
  }

  private static ProblemException absent(UUID id) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "there is no live viewer's or operator's token " + id);
  }
}
