package dev.muster.identity;

import dev.muster.identity.CachedToken.SessionProof;
import dev.muster.identity.CachedToken.State;
import dev.muster.identity.Tokens.TokenInfo;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores workspace tokens as hashes, and looks up all tokens and sessions by hash. */
@Repository
class TokenRepository {

  /** A revoked token's hash and its new state, as other replicas read them. */
  record Revocation(SecretHash hash, State state) {}

  private static final String INSERT =
      StablePlans.ofNoTable(
          """
          INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at)
          VALUES (:id, :workspace_id, :hash, :prefix, now())
          """);

  /**
   * Looks up tokens and stores the first use of a workspace token: "never used" must be exact
   * (R3.1). SKIP LOCKED avoids a wait. The transaction that holds a token's lock also stores its
   * use, or revokes it.
   */
  private static final String PRESENT =
      """
      WITH found AS (
          SELECT id, hash, workspace_id, revoked_by, last_used_at FROM workspace_tokens WHERE hash = ANY (:hashes)
      ), first_use AS (
          UPDATE workspace_tokens t SET last_used_at = now()
          FROM (
              SELECT u.id FROM workspace_tokens u JOIN found ON found.id = u.id
              WHERE u.last_used_at IS NULL AND u.revoked_at IS NULL
              FOR NO KEY UPDATE OF u SKIP LOCKED) AS unused
          WHERE t.id = unused.id
      )
      SELECT id, hash, workspace_id, NULL AS name, NULL AS role, revoked_by,
          NULL::bytea AS page_hash, NULL::bytea AS maker_hash
      FROM found
      UNION ALL
      SELECT id, hash, NULL, name, role,
          CASE WHEN revoked_at IS NOT NULL OR expires_at <= statement_timestamp() THEN 'operator' END,
          NULL, NULL
      FROM role_tokens WHERE hash = ANY (:hashes)
      UNION ALL
      SELECT id, cookie_hash, workspace_id, name, role,
          CASE WHEN ended_at IS NOT NULL OR expires_at <= statement_timestamp()
              OR last_used_at <= statement_timestamp() - interval '12 hours' THEN 'operator' END,
          page_hash, maker_hash
      FROM console_sessions WHERE cookie_hash = ANY (:hashes)
      """;

  private static final String LIVE_OF_WORKSPACE =
      """
      SELECT id, prefix, created_at, last_used_at FROM workspace_tokens
      WHERE workspace_id = :workspace_id AND revoked_at IS NULL ORDER BY created_at, id
      """;

  private static final String COUNT_LIVE =
      """
      SELECT count(*)
      FROM workspace_tokens
      WHERE workspace_id = :workspace_id AND revoked_at IS NULL
      """;

  private static final String EVER_USED =
      """
      SELECT EXISTS (SELECT FROM workspace_tokens WHERE workspace_id = :workspace_id AND last_used_at IS NOT NULL)
      """;

  private static final String REVOKE =
      """
      UPDATE workspace_tokens SET revoked_at = now(), revoked_by = 'operator'
      WHERE workspace_id = :workspace_id AND id = :id AND revoked_at IS NULL
      RETURNING hash
      """;

  private static final String REVOKE_UNUSED =
      """
      UPDATE workspace_tokens SET revoked_at = now(), revoked_by = 'operator'
      WHERE workspace_id = :workspace_id AND id = :id AND revoked_at IS NULL AND last_used_at IS NULL
      RETURNING hash
      """;

  private static final String REVOKE_OF_REMOVED =
      """
      UPDATE workspace_tokens SET revoked_at = now(), revoked_by = 'removal'
      WHERE workspace_id = ANY (:workspace_ids) AND revoked_at IS NULL
      RETURNING hash
      """;

  private static final String DELETE_OF_REMOVED =
      "DELETE FROM workspace_tokens WHERE workspace_id = ANY (:workspace_ids) RETURNING hash";

  private static final String NOW = "SELECT clock_timestamp() AS now";

  /** Includes what expired in the interval: expiry counts as a revocation. */
  private static final String REVOKED_SINCE =
      """
      SELECT hash, revoked_by FROM workspace_tokens WHERE revoked_at > :since
      UNION ALL
      SELECT hash, 'operator' FROM role_tokens
      WHERE revoked_at > :since OR (expires_at > :since AND expires_at <= clock_timestamp())
      UNION ALL
      SELECT cookie_hash, 'operator' FROM console_sessions
      WHERE ended_at > :since OR (expires_at > :since AND expires_at <= clock_timestamp())
      """;

  private static final String NOTE_USE =
      """
      WITH of_roles AS (
          UPDATE role_tokens SET last_used_at = now() WHERE id = ANY (:ids) AND revoked_at IS NULL
      ), of_sessions AS (
          UPDATE console_sessions SET last_used_at = now() WHERE id = ANY (:ids) AND ended_at IS NULL
      )
      UPDATE workspace_tokens SET last_used_at = now() WHERE id = ANY (:ids) AND revoked_at IS NULL
      """;

  private final JdbcClient db;

  TokenRepository(JdbcClient db) {
    this.db = db;
  }

  void insert(UUID id, UUID workspaceId, Secret secret) {
    db.sql(INSERT)
        .param("id", id)
        .param("workspace_id", workspaceId)
        .param("hash", secret.hash().bytes())
        .param("prefix", secret.prefix())
        .update();
  }

  /** Returns the tokens of those hashes that are stored. */
  Map<SecretHash, CachedToken> findByHash(Set<SecretHash> presented) {
    Map<SecretHash, CachedToken> stored = new HashMap<>();
    db.sql(PRESENT)
        .param("hashes", presented.stream().map(SecretHash::bytes).toArray(byte[][]::new))
        .query(row -> {
          UUID id = row.getObject("id", UUID.class);
          stored.put(
              hash(row, 0),
              new CachedToken(
                  id, holder(id, row), state(row.getString("revoked_by")), session(row)));
        });
    return stored;
  }

  private static Caller holder(UUID id, ResultSet row) throws SQLException {
    @Nullable UUID workspaceId = row.getObject("workspace_id", UUID.class);
    return workspaceId == null
        ? Role.of(row.getString("role")).caller(id, row.getString("name"))
        : new Caller.Agent(workspaceId);
  }

  private static @Nullable SessionProof session(ResultSet row) throws SQLException {
    byte @Nullable [] page = row.getBytes("page_hash");
    return page == null
        ? null
        : new SessionProof(new SecretHash(page), new SecretHash(row.getBytes("maker_hash")));
  }

  List<TokenInfo> liveOf(UUID workspaceId) {
    return db.sql(LIVE_OF_WORKSPACE)
        .param("workspace_id", workspaceId)
        .query((row, n) ->
            new TokenInfo(
                row.getObject("id", UUID.class),
                row.getString("prefix"),
                Timestamps.instant(row, "created_at"),
                Timestamps.instantOrNull(row, "last_used_at")))
        .list();
  }

  int countLive(UUID workspaceId) {
    return db.sql(COUNT_LIVE).param("workspace_id", workspaceId).query(Integer.class).single();
  }

  boolean everUsed(UUID workspaceId) {
    return db.sql(EVER_USED).param("workspace_id", workspaceId).query(Boolean.class).single();
  }

  Optional<SecretHash> revoke(UUID workspaceId, UUID tokenId) {
    return db.sql(REVOKE)
        .param("workspace_id", workspaceId)
        .param("id", tokenId)
        .query(TokenRepository::hash)
        .optional();
  }

  Optional<SecretHash> revokeUnused(UUID workspaceId, UUID tokenId) {
    return db.sql(REVOKE_UNUSED)
        .param("workspace_id", workspaceId)
        .param("id", tokenId)
        .query(TokenRepository::hash)
        .optional();
  }

  List<SecretHash> revokeOfRemoved(Collection<UUID> workspaceIds) {
    return db.sql(REVOKE_OF_REMOVED)
        .param("workspace_ids", workspaceIds.toArray(UUID[]::new))
        .query(TokenRepository::hash)
        .list();
  }

  List<SecretHash> deleteOfRemoved(Collection<UUID> workspaceIds) {
    return db.sql(DELETE_OF_REMOVED)
        .param("workspace_ids", workspaceIds.toArray(UUID[]::new))
        .query(TokenRepository::hash)
        .list();
  }

  Instant now() {
    return db.sql(NOW).query((row, n) -> Timestamps.instant(row, "now")).single();
  }

  List<Revocation> revokedSince(Instant time) {
    return db.sql(REVOKED_SINCE)
        .param("since", Timestamps.utc(time))
        .query((row, n) -> new Revocation(hash(row, n), state(row.getString("revoked_by"))))
        .list();
  }

  void noteUse(Collection<UUID> tokenIds) {
    db.sql(NOTE_USE).param("ids", tokenIds.toArray(UUID[]::new)).update();
  }

  private static SecretHash hash(ResultSet row, int n) throws SQLException {
    return new SecretHash(row.getBytes("hash"));
  }

  private static State state(@Nullable String revokedBy) {
    return switch (revokedBy) {
      case null -> State.LIVE;
      case "removal" -> State.REVOKED_BY_REMOVAL;
      default -> State.REVOKED;
    };
  }
}
