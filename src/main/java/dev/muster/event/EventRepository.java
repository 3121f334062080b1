package dev.muster.event;

import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.text.RawJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes the {@code events} table, the outbox of recorded events. */
@Repository
class EventRepository {

  static final int BATCH_SIZE = 1000;

  /** Maximum size of a page; payloads can hold agent cards of up to 256 KiB each. */
  static final int MAX_PAGE_BYTES = 8 << 20;

  private static final String INSERT =
      StablePlans.ofNoTable(
          """
          INSERT INTO events (id, event_type, workspace_id, payload, created_at)
          SELECT new.id, new.event_type, new.workspace_id, new.payload::json, statement_timestamp()
          FROM unnest(:ids::uuid[], :types::text[], :workspace_ids::uuid[], :payloads::text[])
              WITH ORDINALITY AS new (id, event_type, workspace_id, payload, place)
          ORDER BY new.place
          """);

  private static final String HAS_UNPUBLISHED =
      "SELECT EXISTS (SELECT FROM events WHERE seq IS NULL)";

  private static final String NEWEST_ORDINAL =
      "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('events',"
          + " 'ordinal')::regclass), 0)";

  private static final String TRANSACTIONS =
      """
      SELECT pg_snapshot_xmin(now.snapshot)::text::bigint AS oldest, pg_snapshot_xmax(now.snapshot)::text::bigint AS next
      FROM (SELECT pg_current_snapshot() AS snapshot) AS now
      """;

  private static final String LOCK_HEAD = "SELECT last_seq FROM event_head FOR UPDATE";

  private static final String STAMP =
      """
      WITH unpublished AS (
          SELECT place, row_number() OVER (ORDER BY ordinal) AS number
          FROM (
              SELECT ctid AS place, ordinal FROM events
              WHERE seq IS NULL AND ordinal > :after AND ordinal <> ALL (:except::bigint[])
              ORDER BY ordinal LIMIT :most) AS next
      )
      UPDATE events e SET seq = :last_seq + unpublished.number
      FROM unpublished WHERE e.ctid = unpublished.place
      """;

  private static final String STAMP_THESE =
      """
      WITH unpublished AS (
          SELECT ctid AS place, row_number() OVER (ORDER BY ordinal) AS number
          FROM events WHERE seq IS NULL AND ordinal = ANY (:ordinals::bigint[])
      )
      UPDATE events e SET seq = :last_seq + unpublished.number
      FROM unpublished WHERE e.ctid = unpublished.place
      """;

  private static final String UNPUBLISHED =
      """
      SELECT ordinal FROM events WHERE seq IS NULL AND ordinal <> ALL (:except::bigint[])
      ORDER BY ordinal LIMIT :most
      """;

  private static final String MOVE_HEAD = "UPDATE event_head SET last_seq = :last_seq";

  private static final String LAST_SEQ = "SELECT last_seq FROM event_head";

  private static final String LATEST =
      """
      SELECT id, seq, event_type, workspace_id, payload, created_at FROM (
          SELECT page.*, sum(octet_length(payload::text)) OVER (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING)
              - octet_length(payload::text) AS bytes_before
          FROM (
              SELECT id, seq, event_type, workspace_id, payload, created_at FROM events
              WHERE seq IS NOT NULL AND (:type::text IS NULL OR event_type = :type)
              ORDER BY seq DESC LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY seq DESC
      """;

  private static final String LATEST_OF_WORKSPACE =
      """
      SELECT id, seq, event_type, workspace_id, payload, created_at FROM (
          SELECT page.*, sum(octet_length(payload::text)) OVER (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING)
              - octet_length(payload::text) AS bytes_before
          FROM (
              SELECT id, seq, event_type, workspace_id, payload, created_at FROM events
              WHERE seq IS NOT NULL AND workspace_id = :workspace_id AND (:type::text IS NULL OR event_type = :type)
              ORDER BY seq DESC LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY seq DESC
      """;

  private static final String AFTER =
      """
      SELECT id, seq, event_type, workspace_id, payload, created_at FROM (
          SELECT page.*, sum(octet_length(payload::text)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
              - octet_length(payload::text) AS bytes_before
          FROM (
              SELECT id, seq, event_type, workspace_id, payload, created_at FROM events
              WHERE seq > :after AND (:type::text IS NULL OR event_type = :type)
              ORDER BY seq LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY seq
      """;

  private static final String AFTER_OF_WORKSPACE =
      """
      SELECT id, seq, event_type, workspace_id, payload, created_at FROM (
          SELECT page.*, sum(octet_length(payload::text)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
              - octet_length(payload::text) AS bytes_before
          FROM (
              SELECT id, seq, event_type, workspace_id, payload, created_at FROM events
              WHERE seq > :after AND workspace_id = :workspace_id AND (:type::text IS NULL OR event_type = :type)
              ORDER BY seq LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY seq
      """;

  private final JdbcClient db;
  private final JsonMapper json;

  EventRepository(JdbcClient db, JsonMapper json) {
    this.db = db;
    this.json = json;
  }

  void insert(List<NewEvent> events) {
    db.sql(INSERT)
        .param("ids", events.stream().map(e -> UUID.randomUUID()).toArray(UUID[]::new))
        .param("types", events.stream().map(e -> e.type().name()).toArray(String[]::new))
        .param("workspace_ids", events.stream().map(NewEvent::workspaceId).toArray(UUID[]::new))
        .param(
            "payloads",
            events.stream().map(e -> json.writeValueAsString(e.payload())).toArray(String[]::new))
        .update();
  }

  boolean hasUnpublished() {
    return db.sql(HAS_UNPUBLISHED).query(Boolean.class).single();
  }

  /** Returns the moment before a look at all events. */
  SettledOrdinals.Moment moment() {
    // in this order: what took an ordinal up to the newest one has begun before the second
    // statement
    long newest = db.sql(NEWEST_ORDINAL).query(Long.class).single();
    return db.sql(TRANSACTIONS)
        .query((row, n) ->
            new SettledOrdinals.Moment(newest, row.getLong("oldest"), row.getLong("next")))
        .single();
  }

  /**
   * Stamps up to {@code BATCH_SIZE} events and returns how many.
   *
   * @param seen the highest number that this replica has served; a database that lost its last
   *     commits in a failover must not assign it again
   * @param afterOrdinal events up to this ordinal have their numbers
   * @param except the ordinals of events to leave out
   */
  @Transactional
  public int publish(long seen, long afterOrdinal, List<Long> except) {
    long lastSeq = Math.max(seen, db.sql(LOCK_HEAD).query(Long.class).single());
    int stamped =
        db.sql(STAMP)
            .param("last_seq", lastSeq)
            .param("after", afterOrdinal)
            .param("except", except.toArray(Long[]::new))
            .param("most", BATCH_SIZE)
            .update();
    moveHead(lastSeq, stamped);
    return stamped;
  }

  /** Stamps those of these events that have no number yet, as {@link #publish} does. */
  @Transactional
  public int publishThese(long seen, List<Long> ordinals) {
    long lastSeq = Math.max(seen, db.sql(LOCK_HEAD).query(Long.class).single());
    int stamped =
        db.sql(STAMP_THESE)
            .param("last_seq", lastSeq)
            .param("ordinals", ordinals.toArray(Long[]::new))
            .update();
    moveHead(lastSeq, stamped);
    return stamped;
  }

  private void moveHead(long lastSeq, int stamped) {
    if (stamped > 0) {
      db.sql(MOVE_HEAD).param("last_seq", lastSeq + stamped).update();
    }
  }

  /** Returns the ordinals of the next events without a number. */
  List<Long> unpublished(List<Long> except) {
    return db.sql(UNPUBLISHED)
        .param("except", except.toArray(Long[]::new))
        .param("most", BATCH_SIZE)
        .query((row, n) -> row.getLong("ordinal"))
        .list();
  }

  long lastSeq() {
    return db.sql(LAST_SEQ).query(Long.class).single();
  }

  List<RecordedEvent> latest(Optional<UUID> workspaceId, Optional<String> type, int limit) {
    return db.sql(workspaceId.isPresent() ? LATEST_OF_WORKSPACE : LATEST)
        .param("workspace_id", workspaceId.orElse(null))
        .param("type", type.orElse(null))
        .param("limit", limit)
        .param("max_bytes", MAX_PAGE_BYTES)
        .query(EventRepository::event)
        .list();
  }

  /**
   * Returns events strictly after {@code seq}, oldest first.
   *
   * <p>A page ends at {@code limit} events or at about {@code maxBytes} of payload; it has at least
   * one event if one exists.
   */
  List<RecordedEvent> after(
      long seq, Optional<UUID> workspaceId, Optional<String> type, int limit, int maxBytes) {
    return db.sql(workspaceId.isPresent() ? AFTER_OF_WORKSPACE : AFTER)
        .param("after", seq)
        .param("workspace_id", workspaceId.orElse(null))
        .param("type", type.orElse(null))
        .param("limit", limit)
        .param("max_bytes", maxBytes)
        .query(EventRepository::event)
        .list();
  }

  private static RecordedEvent event(ResultSet row, int n) throws SQLException {
    @Nullable UUID workspaceId = row.getObject("workspace_id", UUID.class);
    return new RecordedEvent(
        row.getObject("id", UUID.class),
        row.getLong("seq"),
        row.getString("event_type"),
        workspaceId,
        new RawJson(row.getString("payload")),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
