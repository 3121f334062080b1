package dev.muster.bench;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** Inserts workspaces into the tables, since registering 50,000 is not what is measured. */
final class BenchFleet {

  private BenchFleet() {}

  /** Inserts online workspaces; returns ids and tokens. */
  static List<String[]> seed(String url, int size) throws Exception {
    List<String[]> fleet = new ArrayList<>();
    SecureRandom random = new SecureRandom();
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      try (PreparedStatement workspaces =
              connection.prepareStatement(
                  """
                  INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                      created_at, updated_at)
                  VALUES (?, 'bench', 3, 'external', '', 'poll', 1, 0, 0, now(), now())
                  """);
          PreparedStatement heartbeats =
              connection.prepareStatement(
                  "INSERT INTO workspace_heartbeats (workspace_id, status, status_since) VALUES (?,"
                      + " 'online', now())");
          PreparedStatement tokens =
              connection.prepareStatement(
                  """
                  INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at, last_used_at)
                  VALUES (gen_random_uuid(), ?, ?, '', now(), now())
                  """)) {
        for (int i = 0; i < size; i++) {
          UUID id = UUID.randomUUID();
          byte[] secret = new byte[32];
          random.nextBytes(secret);
          String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
          workspaces.setObject(1, id);
          workspaces.addBatch();
          heartbeats.setObject(1, id);
          heartbeats.addBatch();
          tokens.setObject(1, id);
          tokens.setBytes(
              2,
              MessageDigest.getInstance("SHA-256")
                  .digest(token.getBytes(StandardCharsets.US_ASCII)));
          tokens.addBatch();
          fleet.add(new String[] {id.toString(), token});
        }
        workspaces.executeBatch();
        heartbeats.executeBatch();
        tokens.executeBatch();
      }
      connection.commit();
    }
    execute(
        url,
        "INSERT INTO activity_feeds (workspace_id) SELECT id FROM workspaces ON CONFLICT DO"
            + " NOTHING");
    execute(
        url,
        "INSERT INTO runtime_heads (workspace_id) SELECT id FROM workspaces ON CONFLICT DO"
            + " NOTHING");
    execute(url, "ANALYZE");
    return fleet;
  }

  static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
