package dev.muster.identity;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the console's links and sessions; {@link TokenRepository} looks sessions up by cookie. */
@Repository
class SessionRepository {

  /**
   * The person who signs in.
   *
   * @param role viewer, operator or agent
   * @param workspaceId the workspace of an agent; null for other roles
   * @param maker the hash of the token that the session ends with
   */
  record Person(String role, String name, @Nullable UUID workspaceId, SecretHash maker) {}

  /** A live session as operators see it. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Session(
      UUID id,
      String role,
      String name,
      @Nullable UUID workspaceId,
      Instant createdAt,
      Instant lastUsedAt,
      Instant expiresAt,
      @JsonIgnore SecretHash maker) {}

  /** A link that was not used yet; the code is not stored. */
  record OpenLink(
      UUID id,
      String role,
      String name,
      Instant createdAt,
      Instant expiresAt,
      @JsonIgnore SecretHash maker) {}

  private static final String INSERT_LINK =
      """
      INSERT INTO console_links (id, hash, role, name, maker_hash, created_at, expires_at)
      VALUES (:id, :hash, :role, :name, :maker, statement_timestamp(),
          statement_timestamp() + :seconds::bigint * interval '1 second')
      RETURNING expires_at
      """;

  /**
   * One of several concurrent requests updates the row; the others wait for it and then find it
   * redeemed.
   */
  private static final String REDEEM_LINK =
      """
      UPDATE console_links SET redeemed_at = statement_timestamp()
      WHERE hash = :hash AND redeemed_at IS NULL AND expires_at > statement_timestamp()
      RETURNING role, name, maker_hash
      """;

  private static final String OPEN_LINKS =
      """
      SELECT id, role, name, created_at, expires_at, maker_hash FROM console_links
      WHERE redeemed_at IS NULL AND expires_at > statement_timestamp() ORDER BY created_at, id
      """;

  private static final String END_LINK =
      """
      UPDATE console_links SET expires_at = statement_timestamp()
      WHERE id = :id AND redeemed_at IS NULL AND expires_at > statement_timestamp()
      """;

  private static final String INSERT_SESSION =
      """
      INSERT INTO console_sessions (id, cookie_hash, page_hash, role, name, workspace_id, maker_hash,
          created_at, expires_at, last_used_at)
      VALUES (:id, :cookie, :page, :role, :name, :workspace_id, :maker, statement_timestamp(),
          statement_timestamp() + interval '7 days', statement_timestamp())
      RETURNING expires_at
      """;

  /** Sign-ins of one workspace or token wait for each other, so that none misses a session. */
  private static final String LOCK =
      "SELECT pg_advisory_xact_lock(hashtextextended(:shared, 7003))";

  /** A person is a token with a role and a name, an agent its workspace, whatever its tokens. */
  private static final String END_OLDEST =
      """
      UPDATE console_sessions SET ended_at = statement_timestamp()
      WHERE id IN (
          SELECT id FROM (
              SELECT id,
                  row_number() OVER (
                      PARTITION BY workspace_id, role, CASE WHEN workspace_id IS NULL THEN name END
                      ORDER BY created_at DESC, id) AS of_owner,
                  row_number() OVER (PARTITION BY maker_hash ORDER BY created_at DESC, id) AS of_token
              FROM console_sessions
              WHERE (maker_hash = :maker OR workspace_id = :workspace_id)
                  AND ended_at IS NULL AND expires_at > statement_timestamp()
                  AND last_used_at > statement_timestamp() - interval '12 hours') AS newest_first
          WHERE of_owner > :most_of_owner OR of_token > :most_of_token)
      RETURNING id, cookie_hash
      """;

  private static final String LIVE =
      """
      SELECT id, role, name, workspace_id, created_at, last_used_at, expires_at, maker_hash
      FROM console_sessions
      WHERE ended_at IS NULL AND expires_at > statement_timestamp()
          AND last_used_at > statement_timestamp() - interval '12 hours'
      ORDER BY created_at, id
      """;

  private static final String BY_COOKIE =
      """
      SELECT id, role, name, workspace_id, created_at, last_used_at, expires_at, maker_hash
      FROM console_sessions WHERE cookie_hash = :cookie
      """;

  private static final String END =
      """
      UPDATE console_sessions SET ended_at = statement_timestamp()
      WHERE id = :id AND ended_at IS NULL AND expires_at > statement_timestamp()
      RETURNING cookie_hash
      """;

  private static final String END_ALL =
      """
      UPDATE console_sessions SET ended_at = statement_timestamp()
      WHERE maker_hash = :maker AND role = :role AND name = :name AND ended_at IS NULL
          AND expires_at > statement_timestamp()
      RETURNING cookie_hash
      """;

  private static final String DELETE_ENDED_SESSIONS =
      """
      DELETE FROM console_sessions WHERE id IN (
          SELECT id FROM console_sessions
          WHERE least(ended_at, expires_at) < statement_timestamp() - interval '90 days'
          ORDER BY id LIMIT :most OFFSET :passed_over)
      """;

  private static final String DELETE_OLD_LINKS =
      """
      DELETE FROM console_links WHERE id IN (
          SELECT id FROM console_links WHERE expires_at < statement_timestamp() - interval '90 days'
          ORDER BY id LIMIT :most OFFSET :passed_over)
      """;

  private final JdbcClient db;

  SessionRepository(JdbcClient db) {
    this.db = db;
  }

  /** Stores a link and returns when it expires. */
  Instant insertLink(UUID id, Secret code, Role role, String name, SecretHash maker, Duration ttl) {
    return db.sql(INSERT_LINK)
        .param("id", id)
        .param("hash", code.hash().bytes())
        .param("role", role.wire())
        .param("name", name)
        .param("maker", maker.bytes())
        .param("seconds", ttl.toSeconds())
        .query((row, n) -> Timestamps.instant(row, "expires_at"))
        .single();
  }

  /** Redeems a link and returns its person; empty when the link is used, expired or unknown. */
  Optional<Person> redeemLink(SecretHash code) {
    return db.sql(REDEEM_LINK)
        .param("hash", code.bytes())
        .query((row, n) ->
            new Person(
                row.getString("role"),
                row.getString("name"),
                null,
                new SecretHash(row.getBytes("maker_hash"))))
        .optional();
  }

  /** Returns the links that may still be used, oldest first. */
  List<OpenLink> openLinks() {
    return db.sql(OPEN_LINKS)
        .query((row, n) ->
            new OpenLink(
                row.getObject("id", UUID.class),
                row.getString("role"),
                row.getString("name"),
                Timestamps.instant(row, "created_at"),
                Timestamps.instant(row, "expires_at"),
                new SecretHash(row.getBytes("maker_hash"))))
        .list();
  }

  /** Lets a link expire now; returns false when there is no open one. */
  boolean endLink(UUID id) {
    return db.sql(END_LINK).param("id", id).update() == 1;
  }

  /** Stores a session and returns when it expires. */
  Instant insert(UUID id, Secret cookie, Secret pageKey, Person person) {
    return db.sql(INSERT_SESSION)
        .param("id", id)
        .param("cookie", cookie.hash().bytes())
        .param("page", pageKey.hash().bytes())
        .param("role", person.role())
        .param("name", person.name())
        .param("workspace_id", person.workspaceId(), Types.OTHER)
        .param("maker", person.maker().bytes())
        .query((row, n) -> Timestamps.instant(row, "expires_at"))
        .single();
  }

  /** Lets no other session of the same token or workspace be stored until the commit. */
  void lock(Person person) {
    String shared =
        person.workspaceId() == null
            ? HexFormat.of().formatHex(person.maker().bytes())
            : person.workspaceId().toString();
    db.sql(LOCK).param("shared", shared).query(row -> {});
  }

  /**
   * Ends the oldest live sessions of a person, or of the agent's workspace, beyond the first bound,
   * and of the token beyond the second. Returns their ids and the hashes of their cookies.
   */
  Map<UUID, SecretHash> endOldest(Person person, int mostOfOwner, int mostOfToken) {
    Map<UUID, SecretHash> ended = new LinkedHashMap<>();
    db.sql(END_OLDEST)
        .param("maker", person.maker().bytes())
        .param("workspace_id", person.workspaceId(), Types.OTHER)
        .param("most_of_owner", mostOfOwner)
        .param("most_of_token", mostOfToken)
        .query(row -> {
          ended.put(row.getObject("id", UUID.class), new SecretHash(row.getBytes("cookie_hash")));
        });
    return ended;
  }

  /** Returns the sessions that have neither ended nor expired, oldest first. */
  List<Session> live() {
    return db.sql(LIVE).query((row, n) -> session(row)).list();
  }

  Optional<Session> find(SecretHash cookie) {
    return db.sql(BY_COOKIE)
        .param("cookie", cookie.bytes())
        .query((row, n) -> session(row))
        .optional();
  }

  /** Ends a session and returns the hash of its cookie; empty when there is none. */
  Optional<SecretHash> end(UUID id) {
    return db.sql(END)
        .param("id", id)
        .query((row, n) -> new SecretHash(row.getBytes("cookie_hash")))
        .optional();
  }

  /**
   * Ends all sessions of the same token, role and name, and returns the hashes of their cookies.
   */
  List<SecretHash> endAllLike(Session session) {
    return db.sql(END_ALL)
        .param("maker", session.maker().bytes())
        .param("role", session.role())
        .param("name", session.name())
        .query((row, n) -> new SecretHash(row.getBytes("cookie_hash")))
        .list();
  }

  int deleteEnded(int most, int passedOver) {
    return db.sql(DELETE_ENDED_SESSIONS)
        .param("most", most)
        .param("passed_over", passedOver)
        .update();
  }

  int deleteOldLinks(int most, int passedOver) {
    return db.sql(DELETE_OLD_LINKS).param("most", most).param("passed_over", passedOver).update();
  }

  private static Session session(ResultSet row) throws SQLException {
    return new Session(
        row.getObject("id", UUID.class),
        row.getString("role"),
        row.getString("name"),
        row.getObject("workspace_id", UUID.class),
        Timestamps.instant(row, "created_at"),
        Timestamps.instant(row, "last_used_at"),
        Timestamps.instant(row, "expires_at"),
        new SecretHash(row.getBytes("maker_hash")));
  }
}
