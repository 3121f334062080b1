package dev.muster.identity;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores viewer and operator tokens as hashes; {@link TokenRepository} looks them up. */
@Repository
class RoleTokenRepository {

  /** The fields of a minted token that may be shown. */
  record Info(
      UUID id,
      String name,
      Role role,
      String prefix,
      String createdBy,
      Instant createdAt,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {}

  private static final String INSERT =
      """
      INSERT INTO role_tokens (id, name, role, hash, prefix, created_by, created_at, expires_at)
      VALUES (:id, :name, :role, :hash, :prefix, :created_by, statement_timestamp(),
          statement_timestamp() + :seconds::bigint * interval '1 second')
      RETURNING id, name, role, prefix, created_by, created_at, expires_at, last_used_at
      """;

  private static final String LIVE =
      """
      SELECT id, name, role, prefix, created_by, created_at, expires_at, last_used_at FROM role_tokens
      WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
      """;

  private static final String FIND = LIVE + " AND id = :id";

  private static final String LIST = LIVE + " ORDER BY created_at, id";

  private static final String REVOKE =
      """
      UPDATE role_tokens SET revoked_at = statement_timestamp()
      WHERE id = :id AND role = :role AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > statement_timestamp())
      RETURNING hash
      """;

  private static final String DELETE_ENDED =
      """
      DELETE FROM role_tokens WHERE id IN (
          SELECT id FROM role_tokens
          WHERE least(revoked_at, expires_at) < statement_timestamp() - interval '90 days'
          ORDER BY id LIMIT :most OFFSET :passed_over)
      """;

  private final JdbcClient db;

  RoleTokenRepository(JdbcClient db) {
    this.db = db;
  }

  Info insert(
      UUID id,
      String name,
      Role role,
      Secret secret,
      String createdBy,
      Optional<Duration> expiresIn) {
    return db.sql(INSERT)
        .param("id", id)
        .param("name", name)
        .param("role", role.wire())
        .param("hash", secret.hash().bytes())
        .param("prefix", secret.prefix())
        .param("created_by", createdBy)
        .param("seconds", expiresIn.map(Duration::toSeconds).orElse(null), java.sql.Types.BIGINT)
        .query(RoleTokenRepository::info)
        .single();
  }

  /** Returns the live tokens, oldest first. */
  List<Info> live() {
    return db.sql(LIST).query(RoleTokenRepository::info).list();
  }

  /** Returns a live token. */
  Optional<Info> find(UUID id) {
    return db.sql(FIND).param("id", id).query(RoleTokenRepository::info).optional();
  }

  private static Info info(ResultSet row, int number) throws SQLException {
    return new Info(
        row.getObject("id", UUID.class),
        row.getString("name"),
        Role.of(row.getString("role")),
        row.getString("prefix"),
        row.getString("created_by"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instantOrNull(row, "expires_at"),
        Timestamps.instantOrNull(row, "last_used_at"));
  }

  /** Revokes a live token and returns its hash; empty when there is none. */
  Optional<SecretHash> revoke(UUID id, Role role) {
    return db.sql(REVOKE)
        .param("id", id)
        .param("role", role.wire())
        .query((row, n) -> new SecretHash(row.getBytes("hash")))
        .optional();
  }

  int deleteEnded(int most, int passedOver) {
    return db.sql(DELETE_ENDED).param("most", most).param("passed_over", passedOver).update();
  }
}
