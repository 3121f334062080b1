package dev.muster.message.store;

import dev.muster.message.DelegationMessage;
import dev.muster.message.RowId;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Finds messages in feeds. */
@Repository
public class Messages {

  /** What {@link #message} reads of an activity, besides its key and its body. */
  static final String COLUMNS =
      """
      created_at, source_id, method, headers, message_id, delegation_id,
      CASE WHEN source = 'system' THEN coalesce(message_text, '') END AS system_text,
      extract(epoch FROM clock_timestamp() - created_at) AS age_s\
      """;

  private static final String MESSAGE =
      """
      SELECT workspace_id, seq, request_body, {COLUMNS}
      FROM activity_logs
      """
          .replace("{COLUMNS}", COLUMNS);

  private static final String BY_KEY =
      MESSAGE
          + """
          WHERE workspace_id = :workspace_id AND seq = :seq AND request_body IS NOT NULL
          """;

  private static final String BY_NAME =
      MESSAGE
          + """
          WHERE workspace_id = :workspace_id AND message_key = :key AND source_id IS NOT DISTINCT FROM :sender_id::uuid
              AND request_body IS NOT NULL
          """;

  private static final String DELEGATED =
      """
      SELECT l.workspace_id, l.source_id, l.message_id, l.delegation_id
      FROM unnest(:ids::uuid[], :seqs::bigint[]) AS k (workspace_id, seq)
      JOIN activity_logs l ON l.workspace_id = k.workspace_id AND l.seq = k.seq
      WHERE l.source_id IS NOT NULL AND l.message_id IS NOT NULL AND l.delegation_id IS NOT NULL
      """;

  /**
   * A message as it is stored in a feed.
   *
   * @param id of its row
   * @param senderId null for the canvas and the system
   * @param headers those of its sender that are passed to the agent
   * @param age time since it was stored
   * @param delegationId the delegation that it names, whether or not it is the sender's
   * @param systemText the server's own text; null for messages of other senders
   */
  public record StoredMessage(
      ActivityKey key,
      UUID id,
      @Nullable UUID senderId,
      String method,
      RawJson request,
      Map<String, String> headers,
      Duration age,
      @Nullable String messageId,
      @Nullable String delegationId,
      @Nullable String systemText) {

    /**
     * Returns the delegation message that this message may be. Only the delegation ledger can
     * confirm it.
     */
    public Optional<DelegationMessage> delegated() {
      return delegationId == null || messageId == null || senderId == null
          ? Optional.empty()
          : Optional.of(
              new DelegationMessage(delegationId, senderId, key.workspaceId(), messageId));
    }
  }

  private final JdbcClient db;

  Messages(JdbcClient db) {
    this.db = db;
  }

  public Optional<StoredMessage> find(ActivityKey row) {
    return db.sql(BY_KEY)
        .param("workspace_id", row.workspaceId())
        .param("seq", row.seq())
        .query(Messages::message)
        .optional();
  }

  /**
   * Finds a message to {@code workspaceId}.
   *
   * @param senderId null for the canvas and the system
   * @param key the key of a {@link MessageIdentity}
   */
  public Optional<StoredMessage> find(UUID workspaceId, @Nullable UUID senderId, String key) {
    return db.sql(BY_NAME)
        .param("workspace_id", workspaceId)
        .param("sender_id", senderId)
        .param("key", MessageIdentity.bytes(key))
        .query(Messages::message)
        .optional();
  }

  /** Returns the rows that are messages between workspaces and name a delegation. */
  public List<DelegationMessage> delegated(Collection<ActivityKey> rows) {
    return db.sql(DELEGATED)
        .param("ids", rows.stream().map(ActivityKey::workspaceId).toArray(UUID[]::new))
        .param("seqs", rows.stream().map(ActivityKey::seq).toArray(Long[]::new))
        .query((row, n) ->
            new DelegationMessage(
                row.getString("delegation_id"),
                row.getObject("source_id", UUID.class),
                row.getObject("workspace_id", UUID.class),
                row.getString("message_id")))
        .list();
  }

  private static Map<String, String> headers(@Nullable String stored) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (stored != null) {
      LosslessJson.parse(stored.getBytes(StandardCharsets.UTF_8))
          .properties()
          .forEach(header -> headers.put(header.getKey(), header.getValue().stringValue()));
    }
    return headers;
  }

  static StoredMessage message(ResultSet row, int n) throws SQLException {
    return new StoredMessage(
        ActivityKey.of(row),
        RowId.of(row),
        row.getObject("source_id", UUID.class),
        row.getString("method"),
        new RawJson(row.getString("request_body")),
        headers(row.getString("headers")),
        Duration.ofMillis(Math.round(row.getDouble("age_s") * 1000)),
        row.getString("message_id"),
        row.getString("delegation_id"),
        row.getString("system_text"));
  }
}
