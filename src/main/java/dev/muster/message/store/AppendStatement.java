package dev.muster.message.store;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.message.NewActivity;
import dev.muster.message.store.FeedAppender.AppendDecision;
import dev.muster.message.store.MessageAdmission.Assumed;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent.Attachment;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
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
   * A row to append.
   *
   * @param headers those of its sender, as JSON; null without one
   * @param attachments as JSON; null without one
   */
  private record Row(
      NewActivity activity, RowSize size, @Nullable String headers, @Nullable String attachments) {

    @Nullable MessageAdmission admission() {
      return activity.admission();
    }

    @Nullable Assumed assumed() {
      return partOf(admission(), MessageAdmission::assumed);
    }

    @Nullable DeliveryTerms terms() {
      return partOf(admission(), MessageAdmission::terms);
    }

    @Nullable DeliveryClaim claim() {
      return partOf(admission(), MessageAdmission::claim);
    }

    @Nullable MessageIdentity identity() {
      return activity.identity();
    }
  }

  /** What decides about a row. */
  private static final BatchColumns<Row> DECIDING =
      BatchColumns.<Row>none()
          .uuid("workspace_id", row -> row.activity().workspaceId())
          .text("asked", row -> partOf(row.admission(), admission -> admission.way().name()))
          .bigint("known_version", row -> partOf(row.assumed(), Assumed::targetVersion))
          .bigint("known_tree", row -> partOf(row.assumed(), Assumed::treeVersion))
          .flag(
              "needs_slot",
              row -> Boolean.TRUE.equals(partOf(row.admission(), MessageAdmission::needsSlot)))
          .flag("is_bounded", row -> FeedQuota.bounds(row.activity()))
          .text("source", row -> row.activity().source().wire())
          .uuid("source_id", row -> row.activity().sourceId())
          .bigint("whole_bytes", row -> row.size().whole())
          .bytes(
              "message_key", row -> partOf(row.identity(), one -> MessageIdentity.bytes(one.key())))
          .bytes(
              "content_hash",
              row -> partOf(row.identity(), one -> MessageIdentity.bytes(one.contentHash())))
          .text("kind", row -> partOf(row.terms(), terms -> terms.kind().wire()))
          .uuid("owner", row -> partOf(row.claim(), DeliveryClaim::owner))
          .bigint("claim", row -> partOf(row.claim(), DeliveryClaim::number))
          .integer("priority", row -> partOf(row.terms(), DeliveryTerms::priority))
          .bigint("life_ms", row -> partOf(row.terms(), terms -> terms.life().toMillis()));

  private static final int ROWS_OF_A_PART = 64;

  /** What is stored and decides nothing. */
  private static final BatchColumns<Row> STORED =
      BatchColumns.<Row>none()
          .text("class", row -> RowClass.of(row.activity()))
          .text("activity_type", row -> row.activity().activityType())
          .uuid("target_id", row -> row.activity().targetId())
          .text("method", row -> row.activity().method())
          .text("summary", row -> row.activity().summary())
          .text("request_body", row -> partOf(row.activity().bodies().request(), RawJson::text))
          .text("response_body", row -> partOf(row.activity().bodies().response(), RawJson::text))
          .text("tool_trace", row -> partOf(row.activity().bodies().toolTrace(), RawJson::text))
          .bigint("duration_ms", row -> row.activity().result().durationMs())
          .text("status", row -> row.activity().result().status())
          .text("error_detail", row -> row.activity().result().errorDetail())
          .text("message_id", row -> clean(row.activity().content().messageId()))
          .text("delegation_id", row -> clean(row.activity().content().delegationId()))
          .text(
              "message_text",
              row ->
                  row.activity().content().text().isEmpty()
                      ? null
                      : clean(row.activity().content().text()))
          .text("attachments", Row::attachments)
          .integer("request_bytes", row -> row.size().request())
          .integer("response_bytes", row -> row.size().response())
          .integer("trace_bytes", row -> row.size().toolTrace())
          .integer("listed_bytes", row -> row.size().listed())
          .text("author", row -> clean(row.activity().author()))
          .text("headers", Row::headers);

  /**
   * A row is busy when its locked head is newer than the statement's snapshot. Message ids and
   * deliveries of that snapshot are then stale too. IN matches the locked heads against a set,
   * since a join of the statement's own CTEs would compare each row with each.
   *
   * <p>The entries that wait are counted up to 32. Of a longer queue two numbers are not too low:
   * the depth of its newest entry, and the rows since its oldest. The less of them is the estimate.
   * The queue is counted at every 32nd entry, and when it seems full. A count of all at each entry
   * would cost more than the rest of the statement. What is read in the order of {@code seq} does
   * not say {@code queued} alone: PostgreSQL would take the index of the queue for it, read it
   * whole and sort.
   *
   * <p>What decides nothing, such as the body, is read by the row's number where it is stored, in
   * parts of the arrays. So it is not sorted and copied with what decides. Part after part is read,
   * and not the parts for each row: that would copy them as often.
   *
   * <p>After the first row that seems not to fit, the statement writes no later row of that feed,
   * so that {@code seq} has no gaps.
   */
  private static final String APPEND =
      StablePlans.of(
          """
          WITH wanted AS (
              SELECT v.*, CASE WHEN v.asked = 'WAIT' THEN waits.way ELSE v.asked END AS way
              FROM {DECIDING} WITH ORDINALITY AS v ({NAMES_OF_DECIDING}, n)
              LEFT JOIN LATERAL (
                  SELECT CASE delivery_mode WHEN 'poll' THEN 'FEED' ELSE 'QUEUE' END AS way
                  FROM api_workspace_delivery WHERE id = v.workspace_id AND v.asked = 'WAIT' OFFSET 0) AS waits ON true),
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
                          WHERE d.workspace_id = v.workspace_id AND d.owner IS NULL)
                  END AS waiting
                  FROM (
                      SELECT count(*) AS waiting, min(seq) AS seq FROM (
                          SELECT d.seq FROM deliveries d
                          WHERE d.workspace_id = v.workspace_id AND d.owner IS NULL
                          ORDER BY d.seq LIMIT 32) AS few) AS first
                  CROSS JOIN (SELECT (
                      SELECT d.depth FROM deliveries d
                      WHERE d.workspace_id = v.workspace_id AND (d.queued OR d.owner IS NULL)
                      ORDER BY d.seq DESC LIMIT 1) AS depth OFFSET 0) AS newest) AS queue ON v.way = 'QUEUE'),
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
                              OR (way IN ('SEND', 'QUEUE')) IS TRUE
                              OR new_seq - 1 = quota_seq
                              OR new_seq - 1 - quota_seq < ? AND new_total - quota_bytes <= ?)
                          OVER (PARTITION BY workspace_id ORDER BY n) AS is_written
              FROM numbered m),
          rows AS (
              INSERT INTO activity_logs (
                  workspace_id, seq, source, source_id, message_key, content_hash, created_at, feed_bytes,
                  delivery_kind, priority, expires_at, {NAMES_OF_STORED})
              SELECT workspace_id, new_seq, source, source_id, message_key, content_hash, new_time, new_total - whole_bytes,
                  kind, priority, new_time + life_ms * interval '1 ms', {STORED}
              FROM (
                  SELECT number, {PARTS}
                  FROM generate_series(0, ((SELECT max(n) FROM wanted) - 1) / {OF_A_PART}) AS number OFFSET 0) AS part
              CROSS JOIN LATERAL (
                  SELECT * FROM placed WHERE is_written AND (n - 1) / {OF_A_PART} = part.number OFFSET 0) AS one),
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
          """
              .replace("{DECIDING}", DECIDING.unnest())
              .replace("{NAMES_OF_DECIDING}", DECIDING.names())
              .replace(
                  "{PARTS}", STORED.parts("number * {OF_A_PART} + 1", "(number + 1) * {OF_A_PART}"))
              .replace("{STORED}", STORED.valuesAt("part", "(n - 1) % {OF_A_PART} + 1"))
              .replace("{OF_A_PART}", Integer.toString(ROWS_OF_A_PART))
              .replace("{NAMES_OF_STORED}", STORED.names()));

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
        statement -> bind(statement, rows.stream().map(this::row).toList()),
        (row, n) -> AppendDecision.of(rows.get(n).workspaceId(), row));
  }

  private void bind(PreparedStatement statement, List<Row> rows) throws SQLException {
    List<UUID> feeds = rows.stream().map(row -> row.activity().workspaceId()).distinct().toList();
    int next = DECIDING.bind(statement, 1, rows);
    statement.setArray(next++, statement.getConnection().createArrayOf("uuid", feeds.toArray()));
    statement.setInt(next++, MessageAdmission.MAX_QUEUED);
    statement.setLong(next++, quota.maxRows());
    statement.setLong(next++, quota.maxBytes());
    int _ = STORED.bind(statement, next, rows);
  }

  private Row row(NewActivity activity) {
    return new Row(
        activity,
        RowSize.of(activity),
        activity.headers().isEmpty() ? null : json.writeValueAsString(activity.headers()),
        attachments(activity.content().attachments()));
  }

  private static @Nullable String clean(@Nullable String text) {
    return partOf(text, Text::clean);
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
