package dev.muster.identity;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the hash of the admin token that the server made. */
@Repository
class AdminTokenRepository {

  private static final String FIND = "SELECT hash FROM admin_token";

  private static final String KEEP_IF_FIRST =
      "INSERT INTO admin_token (hash, created_at) VALUES (:hash, now()) ON CONFLICT (only_row) DO"
          + " NOTHING";

  private static final String REPLACE =
      """
      INSERT INTO admin_token (hash, created_at) VALUES (:hash, now())
      ON CONFLICT (only_row) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at
      WHERE admin_token.hash <> excluded.hash
      """;

  private final JdbcClient db;

  AdminTokenRepository(JdbcClient db) {
    this.db = db;
  }

  Optional<SecretHash> find() {
    return db.sql(FIND).query((row, n) -> new SecretHash(row.getBytes("hash"))).optional();
  }

  /** Stores the hash if none is stored; returns whether this replica's hash was stored. */
  boolean keepIfFirst(SecretHash hash) {
    return db.sql(KEEP_IF_FIRST).param("hash", hash.bytes()).update() == 1;
  }

  void replace(SecretHash hash) {
    db.sql(REPLACE).param("hash", hash.bytes()).update();
  }
}
