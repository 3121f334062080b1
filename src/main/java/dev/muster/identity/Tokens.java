package dev.muster.identity;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Mints, lists and revokes the tokens of workspaces (R1.1, R1.3). */
@Service
public class Tokens {

  /** The maximum number of live tokens per workspace. */
  public static final int MAX_LIVE = 50;

  /** The maximum time, 5 s, until every replica refuses a revoked token (R1.6). */
  public static final Duration REVOCATION_REACH = Duration.ofSeconds(5);

  /** A new token: its id, and the token in clear. */
  public record Minted(UUID id, String token) {}

  /** The fields of a minted workspace token that may be shown. */
  public record TokenInfo(
      UUID id, String prefix, Instant createdAt, @Nullable Instant lastUsedAt) {}

  private final TokenRepository repository;
  private final TokenCache cache;

  Tokens(TokenRepository repository, TokenCache cache) {
    this.repository = repository;
    this.cache = cache;
  }

  /** Mints a token in the caller's transaction. Only this call returns it in clear. */
  @Transactional(propagation = Propagation.MANDATORY)
  public Minted mint(UUID workspaceId) {
    Secret secret = Secret.random();
    UUID id = UUID.randomUUID();
    repository.insert(id, workspaceId, secret);
    AuditTrail.addTarget(id);
    return new Minted(id, secret.text());
  }

  public List<TokenInfo> liveOf(UUID workspaceId) {
    return repository.liveOf(workspaceId);
  }

  public boolean isFull(UUID workspaceId) {
    return repository.countLive(workspaceId) >= MAX_LIVE;
  }

  /** Whether any token of the workspace, revoked ones included, was ever used. */
  public boolean everUsed(UUID workspaceId) {
    return repository.everUsed(workspaceId);
  }

  /**
   * Revokes a live token; returns false when there is none. This replica refuses it after the
   * commit, the others within {@link #REVOCATION_REACH}.
   */
  @Transactional
  public boolean revoke(UUID workspaceId, UUID tokenId) {
    var revoked = repository.revoke(workspaceId, tokenId);
    revoked.ifPresent(hash -> cache.forgetAfterCommit(List.of(hash)));
    return revoked.isPresent();
  }

  /** Revokes an unused token; returns false when it was used or is not live. */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean revokeUnused(UUID workspaceId, UUID tokenId) {
    var revoked = repository.revokeUnused(workspaceId, tokenId);
    revoked.ifPresent(hash -> cache.forgetAfterCommit(List.of(hash)));
    return revoked.isPresent();
  }

  /** Revokes every token of workspaces that the caller's transaction removes. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void revokeOfRemoved(Collection<UUID> workspaceIds) {
    cache.forgetAfterCommit(repository.revokeOfRemoved(workspaceIds));
  }

  /** Deletes every token of workspaces that the caller's transaction deletes. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void deleteOfRemoved(Collection<UUID> workspaceIds) {
    cache.forgetAfterCommit(repository.deleteOfRemoved(workspaceIds));
  }
}
