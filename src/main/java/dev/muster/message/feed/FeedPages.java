package dev.muster.message.feed;

import dev.muster.message.RowId;
import dev.muster.message.feed.FeedQuery.SourceFilter;
import dev.muster.message.feed.RecentRows.Recent;
import dev.muster.message.feed.StoredActivity.Data;
import dev.muster.message.store.ActivitySource;
import dev.muster.message.store.RowSize;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads feeds in two steps: the row numbers, then the rows with their delivery outcomes. */
@Repository
class FeedPages {

  /** A row of a page, and how many bytes it takes there. */
  record Listed(long seq, int bytes) {}

  /** The row at which a read ended that had examined the most rows. */
  record ReadEnd(UUID id, Instant createdAt, boolean isOldestFirst) {

    private FeedPosition examined(FeedPosition range) {
      return isOldestFirst ? range.endingAt(seq()) : range.beginningAfter(seq() - 1);
    }

    /** Returns what was not examined of a range. */
    FeedPosition rest(FeedPosition range) {
      return isOldestFirst ? range.beginningAfter(seq()) : range.endingAt(seq() - 1);
    }

    /** Returns the parameter of the request for the rest. */
    String parameter() {
      return isOldestFirst ? "since_id" : "before_ts";
    }

    String cursor() {
      return isOldestFirst ? id.toString() : createdAt.toString();
    }

    private long seq() {
      return RowId.seqOf(id);
    }
  }

  /**
   * The next rows of a query.
   *
   * @param end where the read ended, if that was before the page was full and the range read
   */
  record ListedPage(List<Listed> rows, Optional<ReadEnd> end) {

    /** Whether the whole range has no row of the query. */
    boolean isNothing() {
      return rows.isEmpty() && end.isEmpty();
    }
  }

  /** The most rows that a read examines to fill its page. */
  static final int MAX_EXAMINED = 50_000;

  /** The same where the outcome of each row is looked up, which takes many times as long. */
  static final int MAX_EXAMINED_WITH_OUTCOME = 2_000;

  /** A read that may examine more is a whole read, of which few run at a time. */
  static final int MAX_EXAMINED_BY_SHORT_READS = 5_000;

  /**
   * Lists canvas messages and notifications. A canvas request without a message, such as one for
   * the agent card, is left out.
   */
  static final String CONVERSATION =
      """
      SELECT page.seq, page.listed_bytes + coalesce((
          SELECT o.listed_bytes FROM delivery_outcomes o
          WHERE o.workspace_id = :workspace_id AND o.seq = page.seq), 0) AS listed_bytes
      FROM unnest('{c,n}'::text[]) AS c (letter) CROSS JOIN LATERAL (
          SELECT seq, listed_bytes FROM activity_logs
          WHERE workspace_id = :workspace_id
              AND (class, seq) > (c.letter::"char", :after) AND (class, seq) <= (c.letter::"char", :up_to)
              AND CASE WHEN source = 'self' OR message_id IS NOT NULL THEN true ELSE false END
          ORDER BY class DESC, seq DESC LIMIT (SELECT :limit)) AS page
      ORDER BY page.seq DESC LIMIT (SELECT :limit)
      """;

  /** An outcome's columns replace the ones that the row was written with. */
  private static final String COLUMNS =
      """
      l.workspace_id, l.seq, l.activity_type, l.source, l.source_id, l.target_id, l.method, l.summary, l.request_bytes,
      l.trace_bytes, l.message_id, l.delegation_id, l.message_text, l.attachments, l.peer_id, l.created_at, l.author,
      coalesce(o.response_bytes, l.response_bytes) AS response_bytes,
      coalesce(o.status, l.status) AS status,
      CASE WHEN o.status IS NULL THEN l.error_detail ELSE o.error_detail END AS error_detail,
      CASE WHEN o.status IS NULL THEN l.duration_ms ELSE o.duration_ms END AS duration_ms,
      """;

  static final String ROWS =
      "SELECT "
          + COLUMNS
          + """
          CASE WHEN l.request_bytes <= :largest THEN l.request_body END AS request_body,
          CASE WHEN coalesce(o.response_bytes, l.response_bytes) <= :largest
              THEN coalesce(o.response, l.response_body) END AS response_body,
          CASE WHEN l.trace_bytes <= :largest THEN l.tool_trace END AS tool_trace
          FROM activity_logs l LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
          WHERE l.workspace_id = :workspace_id AND l.seq = ANY (:seqs)
          """;

  /** Leaves out rows with an open delivery, since its outcome changes them soon. */
  static final String PLAIN_ROWS =
      "SELECT "
          + COLUMNS
          + """
          l.request_body, coalesce(o.response, l.response_body) AS response_body, l.tool_trace,
          l.listed_bytes + coalesce(o.listed_bytes, 0) AS listed_bytes
          FROM unnest(:feeds::uuid[], :afters::bigint[]) AS feed (id, after) CROSS JOIN LATERAL (
              SELECT * FROM activity_logs
              WHERE workspace_id = feed.id AND seq > feed.after ORDER BY seq LIMIT (SELECT :limit)) AS l
          LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
          WHERE l.listed_bytes + coalesce(o.listed_bytes, 0) <= :largest AND l.attachments IS NULL AND (
              SELECT d.seq FROM deliveries d WHERE d.workspace_id = l.workspace_id AND d.seq = l.seq) IS NULL
          ORDER BY l.workspace_id, l.seq
          """;

  private static final String ONE =
      "SELECT "
          + COLUMNS
          + """
          l.request_body, coalesce(o.response, l.response_body) AS response_body, l.tool_trace
          FROM activity_logs l LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
          WHERE l.workspace_id = :workspace_id AND l.seq = :seq
          """;

  private static final String BYTES =
      """
      SELECT coalesce(l.request_bytes, 0)::bigint + coalesce(o.response_bytes, l.response_bytes, 0)
          + coalesce(l.trace_bytes, 0) AS bytes
      FROM activity_logs l LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      WHERE l.workspace_id = :workspace_id AND l.seq = :seq
      """;

  private final JdbcClient db;

  FeedPages(JdbcClient db) {
    this.db = db;
  }

  /** Whether {@link #list} may examine many more rows than it returns. */
  static boolean isLong(UUID workspaceId, FeedQuery query, FeedPosition range) {
    return range.length() > MAX_EXAMINED_BY_SHORT_READS
        && FeedIndex.of(workspaceId, query).passesRowsBy(query);
  }

  /**
   * Lists the next rows of the query in its order, at most its limit. Where the index has rows that
   * the query does not ask for, it examines a bounded number of them.
   */
  ListedPage list(UUID workspaceId, FeedQuery query, FeedPosition range) {
    FeedIndex index = FeedIndex.of(workspaceId, query);
    int most = query.startsAfterAcked() ? MAX_EXAMINED_WITH_OUTCOME : MAX_EXAMINED;
    Optional<ReadEnd> end =
        range.length() > most && index.passesRowsBy(query)
            ? end(workspaceId, query, range, most)
            : Optional.empty();
    List<Listed> rows =
        statement(
                index.page(query.isOldestFirst()),
                workspaceId,
                query,
                end.map(one -> one.examined(range)).orElse(range))
            .param("limit", query.limit())
            .query(FeedPages::listed)
            .list();
    return new ListedPage(rows, end.filter(_ -> rows.size() < query.limit()));
  }

  private Optional<ReadEnd> end(
      UUID workspaceId, FeedQuery query, FeedPosition range, int examined) {
    boolean isOldestFirst = query.isOldestFirst();
    String statement = FeedIndex.of(workspaceId, query).end(isOldestFirst);
    return statement(statement, workspaceId, query, range)
        .param("examined", examined)
        .query((row, n) ->
            new ReadEnd(RowId.of(row), Timestamps.instant(row, "created_at"), isOldestFirst))
        .optional();
  }

  private JdbcClient.StatementSpec statement(
      String sql, UUID workspaceId, FeedQuery query, FeedPosition range) {
    return db.sql(sql)
        .param("workspace_id", workspaceId)
        .param("classes", FeedIndex.classesOf(query).toArray(String[]::new))
        .param("after", range.after())
        .param("after_delivered", range.afterDelivered())
        .param("up_to", range.upTo())
        .param("type", query.type().orElse(null))
        .param("peer", query.peerId().orElse(null))
        .param("from_chat", query.source().equals(Optional.of(SourceFilter.CANVAS)))
        .param("from_agents", query.source().equals(Optional.of(SourceFilter.AGENT)))
        .param("without_own", query.leavesOutOwn())
        .param("with_notifications", query.bringsBackNotifications())
        .param("without_delivered", query.startsAfterAcked());
  }

  private static Listed listed(ResultSet row, int n) throws SQLException {
    return new Listed(row.getLong("seq"), row.getInt("listed_bytes"));
  }

  /**
   * Lists the conversation at the canvas, newest first. Canvas requests without a message, such as
   * those that ask how far a task is, may be many: it examines a bounded number.
   *
   * @param query one for a chat
   */
  ListedPage conversation(UUID workspaceId, FeedQuery query, FeedPosition range, int limit) {
    Optional<ReadEnd> end =
        range.length() > MAX_EXAMINED_BY_SHORT_READS
            ? end(workspaceId, query, range, MAX_EXAMINED_BY_SHORT_READS)
            : Optional.empty();
    FeedPosition examined = end.map(one -> one.examined(range)).orElse(range);
    List<Listed> rows =
        db.sql(CONVERSATION)
            .param("workspace_id", workspaceId)
            .param("after", examined.after())
            .param("up_to", examined.upTo())
            .param("limit", limit)
            .query(FeedPages::listed)
            .list();
    return new ListedPage(rows, end.filter(_ -> rows.size() < limit));
  }

  /** Reads the rows in no order; {@link StoredActivity.Truncated} replaces bodies over 256 KiB. */
  List<StoredActivity> rows(UUID workspaceId, List<Long> seqs) {
    return db.sql(ROWS)
        .param("workspace_id", workspaceId)
        .param("seqs", seqs.toArray(Long[]::new))
        .param("largest", RowSize.MAX_BODY_BYTES)
        .query(FeedPages::row)
        .list();
  }

  /**
   * Reads the next rows of each feed after its position, at most {@code limit}. It leaves out rows
   * with files, with an open delivery, or larger than {@code largest} bytes.
   */
  List<Recent> plainRows(Map<UUID, Long> after, int limit, int largest) {
    return db.sql(PLAIN_ROWS)
        .param("feeds", after.keySet().toArray(UUID[]::new))
        .param("afters", after.values().toArray(Long[]::new))
        .param("limit", limit)
        .param("largest", largest)
        .query((row, n) -> new Recent(row(row, n), row.getInt("listed_bytes")))
        .list();
  }

  /** Returns the bytes of all bodies of a row together. Empty if there is no such row. */
  Optional<Long> bytes(UUID workspaceId, UUID id) {
    return db.sql(BYTES)
        .param("workspace_id", workspaceId)
        .param("seq", RowId.seqOf(id))
        .query((row, n) -> row.getLong("bytes"))
        .optional();
  }

  /** Reads one row with all of its bodies. */
  Optional<StoredActivity> find(UUID workspaceId, UUID id) {
    return db.sql(ONE)
        .param("workspace_id", workspaceId)
        .param("seq", RowId.seqOf(id))
        .query(FeedPages::row)
        .optional()
        .filter(row -> row.id().equals(id));
  }

  private static StoredActivity row(ResultSet row, int n) throws SQLException {
    ActivitySource source = ActivitySource.of(row.getString("source"));
    @Nullable UUID sourceId = row.getObject("source_id", UUID.class);
    return new StoredActivity(
        RowId.of(row),
        row.getObject("workspace_id", UUID.class),
        row.getLong("seq"),
        row.getString("activity_type"),
        source,
        sourceId,
        row.getObject("target_id", UUID.class),
        row.getString("method"),
        row.getString("summary"),
        StoredActivity.body(row, "request_body", "request_bytes"),
        StoredActivity.body(row, "response_body", "response_bytes"),
        StoredActivity.body(row, "tool_trace", "trace_bytes"),
        new Data(
            source,
            sourceId,
            Objects.requireNonNullElse(row.getString("message_text"), ""),
            row.getString("message_id"),
            row.getString("delegation_id"),
            row.getString("author")),
        row.getObject("duration_ms", Long.class),
        row.getString("status"),
        row.getString("error_detail"),
        Timestamps.instant(row, "created_at"),
        row.getString("attachments"),
        row.getObject("peer_id", UUID.class));
  }
}
