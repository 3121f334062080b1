package dev.muster.message.store;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.message.NewActivity;
import dev.muster.message.store.FeedAppender.AppendDecision;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent.Attachment;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Appends rows to feeds and begins the deliveries of messages (R6.4, R7.3, R7.4). One statement
 * handles many rows. It locks the feed heads, checks the preconditions of each row, and writes the
 * rows that meet them.
 */
@Component
class AppendStatement {

  /**
   * A row is busy when its locked head is newer than the statement's snapshot. Message ids and
   * deliveries of that snapshot are then stale too. IN matches the locked heads against a set,
   * since a join of the statement's own CTEs would compare each row with each.
   *
   * <p>The entries that wait are counted up to 32. Of a longer queue two numbers are not too low:
   * the depth of its newest entry, and the rows since its oldest. The less of them is the estimate.
   * The queue is counted at every 32nd entry, and when it seems full. A count of all at each entry
   * would cost more than the rest of the statement.
   *
   * <p>What decides nothing, such as the body, is read by the row's number where it is stored. So
   * it is not sorted and copied with what decides.
   *
   * <p>After the first row that seems not to fit, the statement writes no later row of that feed,
   * so that {@code seq} has no gaps.
   */
  private static final String APPEND =
      StablePlans.of(
          """
          WITH wanted AS (
              SELECT * FROM unnest(
                  ?::uuid[], ?::text[], ?::bigint[], ?::bigint[], ?::boolean[], ?::boolean[], ?::text[], ?::uuid[],
                  ?::bigint[], ?::bytea[], ?::bytea[], ?::text[], ?::uuid[], ?::bigint[], ?::integer[], ?::bigint[])
              WITH ORDINALITY AS v (
                  workspace_id, way, known_version, known_tree, needs_slot, is_bounded, source, source_id,
                  whole_bytes, message_key, content_hash, kind, owner, claim, priority, life_ms, n)),
          locked AS (
              SELECT workspace_id, version FROM activity_feeds
              WHERE workspace_id = ANY (?::uuid[])
              ORDER BY workspace_id
              FOR NO KEY UPDATE SKIP LOCKED),
          judged AS (
              SELECT v.*, f.last_seq, f.last_created_at, f.total_bytes, f.quota_seq, f.quota_bytes,
                  known.seq AS known_seq, known.created_at AS known_at, b.idle_timeout_seconds,
                  queue.waiting + v.place AS depth,
                  CASE
                      WHEN (f.workspace_id, f.version) IN (SELECT workspace_id, version FROM locked) IS NOT TRUE THEN 'busy'
                      WHEN known.seq IS NOT NULL THEN
                          CASE WHEN known.content_hash = v.content_hash THEN 'repeated' ELSE 'other content' END
                      WHEN v.way IS NULL THEN 'fits'
                      WHEN w.removed_at IS NOT NULL
                          OR w.version <> v.known_version
                          OR v.known_tree <> (SELECT version FROM api_workspace_tree)
                      THEN 'outdated'
                      WHEN v.way = 'SEND'
                          AND NOT (
                              b.status IN ('online', 'degraded')
                              AND (NOT v.needs_slot
                                  OR b.active_tasks < w.max_concurrent_tasks
                                  AND NOT EXISTS (
                                      SELECT FROM deliveries d
                                      WHERE d.workspace_id = v.workspace_id
                                          AND d.queued
                                          AND d.kind = 'message'
                                          AND d.lane = coalesce(v.source_id, '00000000-0000-0000-0000-000000000000'))))
                      THEN 'not free'
                      WHEN v.way = 'QUEUE' AND b.status = 'paused' AND v.kind = 'message' THEN 'outdated'
                      WHEN v.way = 'QUEUE'
                          AND v.kind <> 'result'
                          AND queue.waiting + v.place > v.most_queued
                      THEN 'queue full'
                      ELSE 'fits'
                  END AS decision
              FROM (
                  SELECT *, ?::integer AS most_queued, row_number() OVER (PARTITION BY workspace_id, way ORDER BY n) AS place,
                      count(*) OVER (PARTITION BY workspace_id, way) AS places
                  FROM wanted) AS v
              LEFT JOIN activity_feeds f ON f.workspace_id = v.workspace_id
              LEFT JOIN api_workspace_delivery w ON w.id = v.workspace_id AND v.way IS NOT NULL
              LEFT JOIN api_workspace_heartbeat b ON b.workspace_id = v.workspace_id AND v.way IS NOT NULL
              LEFT JOIN LATERAL (
                  SELECT l.seq, l.created_at, l.content_hash FROM activity_logs l
                  WHERE l.workspace_id = v.workspace_id AND l.message_key = v.message_key
                      AND l.source_id IS NOT DISTINCT FROM v.source_id
                  LIMIT 1) AS known ON v.message_key IS NOT NULL
              LEFT JOIN LATERAL (
                  SELECT CASE
                      WHEN first.waiting < 32 THEN first.waiting
                      WHEN newest.depth % 32 <> 0 AND newest.depth + v.places <= v.most_queued
                          THEN least(newest.depth, greatest(first.waiting, f.last_seq - first.seq + 1))
                      ELSE (
                          SELECT count(*) FROM deliveries d
                          WHERE d.workspace_id = v.workspace_id AND d.queued AND d.owner IS NULL)
                  END AS waiting
                  FROM (
                      SELECT count(*) AS waiting, min(seq) AS seq FROM (
                          SELECT d.seq FROM deliveries d
                          WHERE d.workspace_id = v.workspace_id AND d.queued AND d.owner IS NULL
                          ORDER BY d.seq LIMIT 32) AS few) AS first
                  CROSS JOIN (SELECT (
                      SELECT d.depth FROM deliveries d WHERE d.workspace_id = v.workspace_id AND d.queued
                      ORDER BY d.seq DESC LIMIT 1) AS depth) AS newest) AS queue ON v.way = 'QUEUE'),
          numbered AS (
              SELECT j.*,
                  j.last_seq + count(*) FILTER (WHERE decision = 'fits') OVER before AS new_seq,
                  j.total_bytes
                      + coalesce(sum(whole_bytes) FILTER (WHERE decision = 'fits') OVER before, 0)::bigint AS new_total
              FROM judged j
              WINDOW before AS (PARTITION BY workspace_id ORDER BY n)),
          placed AS (
              SELECT m.*,
                  greatest(statement_timestamp(), m.last_created_at + interval '1 us')
                      + (new_seq - last_seq - 1) * interval '1 us' AS new_time,
                  decision = 'fits'
                      AND bool_and(
                              decision <> 'fits'
                              OR NOT is_bounded
                              OR new_seq - 1 = quota_seq
                              OR new_seq - 1 - quota_seq < ? AND new_total - quota_bytes <= ?)
                          OVER (PARTITION BY workspace_id ORDER BY n) AS is_written
              FROM numbered m),
          rows AS (
              INSERT INTO activity_logs (
                  workspace_id, seq, source, source_id, message_key, content_hash, created_at, feed_bytes,
                  class, activity_type, target_id, method, summary,
                  request_body, response_body, tool_trace,
                  duration_ms, status, error_detail, message_id, delegation_id, message_text, attachments,
                  request_bytes, response_bytes, trace_bytes, listed_bytes, author, headers,
                  delivery_kind, priority, expires_at)
              SELECT workspace_id, new_seq, source, source_id, message_key, content_hash, new_time, new_total - whole_bytes,
                  (?::text[])[n]::"char", (?::text[])[n], (?::uuid[])[n], (?::text[])[n], (?::text[])[n],
                  (?::text[])[n], (?::text[])[n], (?::text[])[n],
                  (?::bigint[])[n], (?::text[])[n], (?::text[])[n], (?::text[])[n], (?::text[])[n], (?::text[])[n], (?::text[])[n],
                  (?::integer[])[n], (?::integer[])[n], (?::integer[])[n], (?::integer[])[n], (?::text[])[n], (?::text[])[n],
                  kind, priority, new_time + life_ms * interval '1 ms'
              FROM placed WHERE is_written),
          begun AS (
              INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at,
                  expires_at, owner, claim, claimed_at)
              SELECT workspace_id, new_seq, source_id, kind, way = 'QUEUE', coalesce(depth, 0), priority, new_time,
                  new_time, new_time + life_ms * interval '1 ms', owner, claim,
                  CASE WHEN owner IS NOT NULL THEN statement_timestamp() END
              FROM placed WHERE is_written AND way <> 'FEED'),
          moved AS (
              UPDATE activity_feeds f SET
                  version = f.version + 1,
                  last_seq = p.seq,
                  last_created_at = p.created_at,
                  last_own_at = coalesce(p.own_at, f.last_own_at),
                  total_bytes = p.total_bytes
              FROM (
                  SELECT workspace_id, max(new_seq) AS seq, max(new_time) AS created_at,
                      max(new_time) FILTER (WHERE source = 'self') AS own_at, max(new_total) AS total_bytes
                  FROM placed
                  WHERE is_written
                  GROUP BY workspace_id) AS p
              WHERE f.workspace_id = p.workspace_id)
          SELECT
              CASE WHEN is_written THEN 'stored' WHEN decision = 'fits' THEN 'seems full' ELSE decision END AS decision,
              CASE WHEN is_written THEN new_seq ELSE known_seq END AS seq,
              CASE WHEN is_written THEN new_time ELSE known_at END AS created_at,
              coalesce(depth, 0) AS depth, idle_timeout_seconds
          FROM placed
          ORDER BY n
          """);

  private final JsonMapper json;
  private final FeedQuota quota;

  AppendStatement(JsonMapper json, FeedQuota quota) {
    this.json = json;
    this.quota = quota;
  }

  /** Runs the statement and returns its decisions in row order. No two rows may be one message. */
  List<AppendDecision> run(JdbcTemplate db, List<NewActivity> rows) {
    return db.query(
        APPEND,
        statement -> bind(statement, rows),
        (row, n) -> AppendDecision.of(rows.get(n).workspaceId(), row));
  }

  private void bind(PreparedStatement statement, List<NewActivity> rows) throws SQLException {
    List<RowSize> sizes = rows.stream().map(RowSize::of).toList();
    int next = bindDeciding(new BatchColumns(statement, 1), rows, sizes);
    statement.setInt(next, MessageAdmission.MAX_QUEUED);
    statement.setLong(next + 1, quota.maxRows());
    statement.setLong(next + 2, quota.maxBytes());
    bindStored(new BatchColumns(statement, next + 3), rows, sizes);
  }

  /** Binds the columns of {@code wanted} and the feeds; returns the next parameter. */
  private static int bindDeciding(BatchColumns columns, List<NewActivity> rows, List<RowSize> sizes)
      throws SQLException {
    columns.uuids(rows, NewActivity::workspaceId);
    columns.texts(rows, row -> partOf(row.admission(), admission -> admission.way().name()));
    columns.longs(rows, row -> partOf(assumed(row), MessageAdmission.Assumed::targetVersion));
    columns.longs(rows, row -> partOf(assumed(row), MessageAdmission.Assumed::treeVersion));
    columns.flags(rows, row -> row.admission() != null && row.admission().needsSlot());
    columns.flags(rows, FeedQuota::bounds);
    columns.texts(rows, row -> row.source().wire());
    columns.uuids(rows, NewActivity::sourceId);
    columns.longs(sizes, RowSize::whole);
    columns.bytes(rows, row -> partOf(row.identity(), one -> MessageIdentity.bytes(one.key())));
    columns.bytes(
        rows, row -> partOf(row.identity(), one -> MessageIdentity.bytes(one.contentHash())));
    columns.texts(rows, row -> partOf(terms(row), one -> one.kind().wire()));
    columns.uuids(rows, row -> partOf(claim(row), DeliveryClaim::owner));
    columns.longs(rows, row -> partOf(claim(row), DeliveryClaim::number));
    columns.integers(rows, row -> partOf(terms(row), DeliveryTerms::priority));
    columns.longs(rows, row -> partOf(terms(row), one -> one.life().toMillis()));
    columns.uuids(rows.stream().map(NewActivity::workspaceId).distinct().toList(), id -> id);
    return columns.next();
  }

  /** Binds what is stored and decides nothing. */
  private void bindStored(BatchColumns columns, List<NewActivity> rows, List<RowSize> sizes)
      throws SQLException {
    columns.texts(rows, RowClass::of);
    columns.texts(rows, NewActivity::activityType);
    columns.uuids(rows, NewActivity::targetId);
    columns.texts(rows, NewActivity::method);
    columns.texts(rows, NewActivity::summary);
    columns.texts(rows, row -> partOf(row.bodies().request(), RawJson::text));
    columns.texts(rows, row -> partOf(row.bodies().response(), RawJson::text));
    columns.texts(rows, row -> partOf(row.bodies().toolTrace(), RawJson::text));
    columns.longs(rows, row -> row.result().durationMs());
    columns.texts(rows, row -> row.result().status());
    columns.texts(rows, row -> row.result().errorDetail());
    columns.texts(rows, row -> partOf(row.content().messageId(), Text::clean));
    columns.texts(rows, row -> partOf(row.content().delegationId(), Text::clean));
    columns.texts(
        rows, row -> row.content().text().isEmpty() ? null : Text.clean(row.content().text()));
    columns.texts(rows, row -> attachments(row.content().attachments()));
    columns.integers(sizes, RowSize::request);
    columns.integers(sizes, RowSize::response);
    columns.integers(sizes, RowSize::toolTrace);
    columns.integers(sizes, RowSize::listed);
    columns.texts(rows, row -> partOf(row.author(), Text::clean));
    columns.texts(
        rows, row -> row.headers().isEmpty() ? null : json.writeValueAsString(row.headers()));
  }

  private static MessageAdmission.@Nullable Assumed assumed(NewActivity row) {
    return partOf(row.admission(), MessageAdmission::assumed);
  }

  private static @Nullable DeliveryTerms terms(NewActivity row) {
    return partOf(row.admission(), MessageAdmission::terms);
  }

  private static @Nullable DeliveryClaim claim(NewActivity row) {
    return partOf(row.admission(), MessageAdmission::claim);
  }

  private static Attachment clean(Attachment file) {
    return new Attachment(
        Text.clean(file.kind()),
        Text.clean(file.uri()),
        partOf(file.mimeType(), Text::clean),
        partOf(file.name(), Text::clean));
  }

  private @Nullable String attachments(List<Attachment> attachments) {
    return attachments.isEmpty()
        ? null
        : json.writeValueAsString(attachments.stream().map(AppendStatement::clean).toList());
  }
}
