package dev.muster.workspace;

import dev.muster.platform.postgres.StablePlans;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Stores registrations made without the workspace's own token (R3.1). A registration with that
 * token shows in the token's last use.
 */
@Repository
class RegistrationRepository {

  private static final String HAS_REGISTERED =
      "SELECT EXISTS (SELECT FROM workspace_registrations WHERE workspace_id = :id)";

  /** Finds the token whose response may have been lost; the caller checks that it is unused. */
  private static final String FIND_REPEATED =
      """
      SELECT token_id FROM workspace_registrations
      WHERE workspace_id = :id AND body_hash = decode(:body_hash, 'hex') AND remote_address = :address
          AND registered_at > clock_timestamp() - interval '60 seconds'
      """;

  private static final String RECORD =
      StablePlans.ofNoTable(
          """
          INSERT INTO workspace_registrations (workspace_id, registered_at, body_hash, remote_address, token_id)
          VALUES (:id, statement_timestamp(), decode(:body_hash, 'hex'), :address, :token_id)
          ON CONFLICT (workspace_id) DO UPDATE SET
              registered_at = excluded.registered_at, body_hash = excluded.body_hash,
              remote_address = excluded.remote_address, token_id = excluded.token_id
          """);

  private final JdbcClient db;

  RegistrationRepository(JdbcClient db) {
    this.db = db;
  }

  boolean hasRegistered(UUID workspaceId) {
    return db.sql(HAS_REGISTERED).param("id", workspaceId).query(Boolean.class).single();
  }

  /** Returns the last registration's token, if {@code origin} repeats it within 60 s. */
  Optional<UUID> findRepeated(UUID workspaceId, RegistrationOrigin origin) {
    return origin
        .address()
        .flatMap(address ->
            db.sql(FIND_REPEATED)
                .param("id", workspaceId)
                .param("body_hash", origin.bodyHash())
                .param("address", address)
                .query(UUID.class)
                .optional());
  }

  /** Stores a registration whose response carried the token. */
  void recordOpen(UUID workspaceId, RegistrationOrigin origin, UUID tokenId) {
    if (origin.address().isPresent()) {
      record(workspaceId, origin.bodyHash(), origin.address().get(), tokenId);
    } else {
      record(workspaceId, null, null, null);
    }
  }

  /** Stores a registration with a credential of the admin or an operator. */
  void recordByAdmin(UUID workspaceId) {
    record(workspaceId, null, null, null);
  }

  private void record(
      UUID workspaceId,
      @Nullable String bodyHash,
      @Nullable String address,
      @Nullable UUID tokenId) {
    db.sql(RECORD)
        .param("id", workspaceId)
        .param("body_hash", bodyHash, java.sql.Types.VARCHAR)
        .param("address", address, java.sql.Types.VARCHAR)
        .param("token_id", tokenId, java.sql.Types.OTHER)
        .update();
  }
}
