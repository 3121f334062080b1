package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Finds messages in feeds, and how the turns that they began have ended. */
@Repository
public class Messages {

  /**
   * How a turn stands.
   *
   * @param version grows with every turn of the feed that ends; read before the answer
   */
  public record TurnState(Optional<RawJson> answer, long version) {}

  /** A message to {@code workspaceId} that was sent for the sake of a delegation. */
  public record DelegatedMessage(
      UUID activityId, UUID workspaceId, UUID senderId, String messageId, String delegationId) {}

  private static final String DELEGATED =
      """
      SELECT id, workspace_id, source_id, message_id, delegation_id FROM activity_logs
      WHERE id = ANY (:ids) AND source_id IS NOT NULL AND message_id IS NOT NULL AND delegation_id IS NOT NULL
      """;

  private static final String ROW =
      """
      SELECT id, workspace_id, source_id, method, request_body, message_id, delegation_id,
          CASE WHEN source = 'system' THEN coalesce(message_text, '') END AS system_text,
          extract(epoch FROM clock_timestamp() - created_at) AS age_s
      FROM activity_logs
      """;

  private static final String BY_ID = ROW + "WHERE id = :id AND request_body IS NOT NULL";

  private static final String BY_NAME =
      ROW
          + """
          WHERE workspace_id = :workspace_id AND message_key = :key AND source_id IS NOT DISTINCT FROM :sender_id::uuid
              AND request_body IS NOT NULL
          """;

  private static final String TURN =
      """
      SELECT f.last_turn_seq, CASE WHEN t.answered THEN l.response_body END AS answer
      FROM activity_logs l
      JOIN activity_feeds f ON f.workspace_id = l.workspace_id
      LEFT JOIN activity_turns t ON t.activity_id = l.id
      WHERE l.id = :id
      """;

  private static final String ANSWER_BYTES =
      "SELECT coalesce(response_bytes, 0) AS bytes FROM activity_logs WHERE id = :id";

  private final JdbcClient db;

  Messages(JdbcClient db) {
    this.db = db;
  }

  public Optional<StoredMessage> find(UUID activityId) {
    return db.sql(BY_ID).param("id", activityId).query(Messages::message).optional();
  }

  /**
   * The message to {@code workspaceId} that is known by {@code key}, a {@link MessageIdentity}'s.
   */
  public Optional<StoredMessage> find(UUID workspaceId, @Nullable UUID senderId, String key) {
    return db.sql(BY_NAME)
        .param("workspace_id", workspaceId)
        .param("sender_id", senderId)
        .param("key", MessageIdentity.bytes(key))
        .query(Messages::message)
        .optional();
  }

  /** Those of these rows that are messages of workspaces and name a delegation. */
  public List<DelegatedMessage> delegated(Collection<UUID> activityIds) {
    return db.sql(DELEGATED)
        .param("ids", activityIds.toArray(UUID[]::new))
        .query((row, n) ->
            new DelegatedMessage(
                row.getObject("id", UUID.class),
                row.getObject("workspace_id", UUID.class),
                row.getObject("source_id", UUID.class),
                row.getString("message_id"),
                row.getString("delegation_id")))
        .list();
  }

  /** Of the answer on this row; 0 without one. */
  public long answerBytes(UUID activityId) {
    return db.sql(ANSWER_BYTES)
        .param("id", activityId)
        .query((row, n) -> row.getLong("bytes"))
        .optional()
        .orElse(0L);
  }

  /** Of a row that is gone: without an answer. */
  public TurnState turn(UUID activityId) {
    List<TurnState> found =
        db.sql(TURN)
            .param("id", activityId)
            .query((row, n) ->
                new TurnState(
                    Optional.ofNullable(row.getString("answer")).map(RawJson::new),
                    row.getLong("last_turn_seq")))
            .list();
    return found.isEmpty() ? new TurnState(Optional.empty(), 0) : found.getFirst();
  }

  private static StoredMessage message(ResultSet row, int n) throws SQLException {
    return new StoredMessage(
        row.getObject("id", UUID.class),
        row.getObject("workspace_id", UUID.class),
        row.getObject("source_id", UUID.class),
        row.getString("method"),
        new RawJson(row.getString("request_body")),
        Duration.ofMillis(Math.round(row.getDouble("age_s") * 1000)),
        row.getString("message_id"),
        row.getString("delegation_id"),
        row.getString("system_text"));
  }
}
