package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.EntryCause;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import dev.muster.message.RowId;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.protocol.AgentResponse;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads the rows of a workspace's feed, each with its answer and how it left the queue. It skips
 * rows of delegations that the workspace sent, which {@link DelegationSource} reads.
 */
@Repository
@Order(2)
class FeedSource extends NumberedSource {

  static final String PAGE =
      """
      SELECT l.workspace_id, l.seq, l.created_at, l.class, l.activity_type, l.source, l.peer_id, l.method, l.summary,
          l.message_text, l.status, l.error_detail, l.duration_ms, l.message_id, l.delegation_id, o.state,
          o.status AS end_status, left(o.error_detail, 400) AS end_error, o.duration_ms AS end_duration_ms, o.ended_at,
          o.queue_state, o.enqueued_at, CASE WHEN o.response_bytes <= 16384 THEN o.response END AS response,
          o.response_bytes, d.queued, d.owner, l.author
      FROM (
          SELECT workspace_id, seq, created_at, class, activity_type, source, peer_id, method,
              left(summary, 400) AS summary, left(message_text, 400) AS message_text, status,
              left(error_detail, 400) AS error_detail, duration_ms, message_id, delegation_id, author
          FROM api_message_entry
          WHERE workspace_id = :workspace_id AND seq < :before
          ORDER BY seq DESC
          LIMIT :limit) AS l
      LEFT JOIN api_message_outcome o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      LEFT JOIN api_message_open d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
      ORDER BY l.seq DESC
      """;

  private static final String NEWEST =
      """
      SELECT seq, created_at AS at FROM api_message_entry WHERE workspace_id = :workspace_id
      ORDER BY seq DESC LIMIT 1
      """;

  private static final String FROM =
      """
      SELECT seq, created_at AS at FROM api_message_entry
      WHERE workspace_id = :workspace_id AND seq >= :low AND seq < :high ORDER BY seq LIMIT 1
      """;

  FeedSource(JdbcClient db) {
    super(db, new Statements(PAGE, NEWEST, FROM), FeedSource::row);
  }

  @Override
  public Lane lane() {
    return Lane.FEED;
  }

  @Override
  public Set<Kind> kinds() {
    return Set.of(Kind.MESSAGE, Kind.ANSWER, Kind.QUEUE, Kind.NOTIFICATION, Kind.ACTIVITY);
  }

  private static Row row(ResultSet row, int n) throws SQLException {
    Instant at = Timestamps.instant(row, "created_at");
    return new Row(at, Place.ofSeq(row.getLong("seq")), entries(row, at));
  }

  private static List<TimelineEntry> entries(ResultSet row, Instant at) throws SQLException {
    return switch (row.getString("class")) {
      case "c", "p", "s" -> message(row, at);
      case "n" -> List.of(notification(row, at));
      case "D" -> List.of();
      default -> List.of(activity(row, at));
    };
  }

  private static List<TimelineEntry> message(ResultSet row, Instant at) throws SQLException {
    UUID id = RowId.of(row);
    @Nullable String delegationId = row.getString("delegation_id");
    @Nullable String queueState = row.getString("queue_state");
    List<TimelineEntry> entries = new ArrayList<>();
    entries.add(
        new TimelineEntry(
            at,
            Kind.MESSAGE,
            id.toString(),
            title(row),
            status(row),
            row.getString("message_text"),
            row.getObject("end_duration_ms", Long.class),
            refs(row, id, queueState != null || row.getBoolean("queued") ? id : null),
            delegationId == null ? null : new EntryCause(Kind.DELEGATION, delegationId, true)));
    @Nullable Instant endedAt = Timestamps.instantOrNull(row, "ended_at");
    if (endedAt == null) {
      return entries;
    }
    EntryCause message = new EntryCause(Kind.MESSAGE, id.toString(), true);
    if (queueState != null) {
      entries.add(
          new TimelineEntry(
              endedAt,
              Kind.QUEUE,
              id.toString(),
              "the queue: " + queueState,
              queueState,
              row.getString("end_error"),
              millis(Timestamps.instant(row, "enqueued_at"), endedAt),
              refs(row, id, id),
              message));
    }
    String state = row.getString("state");
    if (!state.equals("in_feed")) {
      entries.add(
          new TimelineEntry(
              endedAt,
              Kind.ANSWER,
              id.toString(),
              state,
              Objects.requireNonNullElse(row.getString("end_status"), state),
              answer(row),
              millis(at, endedAt),
              refs(row, id, null),
              message));
    }
    return entries;
  }

  /** Reads how a message ended: the error, else the answer, else its size. */
  private static @Nullable String answer(ResultSet row) throws SQLException {
    @Nullable String error = row.getString("end_error");
    if (error != null) {
      return error;
    }
    @Nullable String response = row.getString("response");
    if (response == null) {
      long bytes = row.getLong("response_bytes");
      return bytes == 0 ? null : "(" + bytes + " bytes)";
    }
    byte[] utf8 = response.getBytes(StandardCharsets.UTF_8);
    try {
      return AgentResponse.of(LosslessJson.parse(utf8), utf8).said().orElse(null);
    } catch (ProblemException unreadable) {
      return response;
    }
  }

  private static String title(ResultSet row) throws SQLException {
    String method = Objects.requireNonNullElse(row.getString("method"), "");
    return switch (row.getString("source")) {
      case "canvas_user" ->
          "from "
              + Objects.requireNonNullElse(row.getString("author"), "the canvas")
              + (method.equals("message/send") ? "" : ": " + method);
      case "system" -> method.isEmpty() ? "from the server" : method;
      default -> "from " + TimelineEntry.PEER;
    };
  }

  /** Returns the state of the message's delivery; {@code stored} without a delivery. */
  private static String status(ResultSet row) throws SQLException {
    if (row.getString("owner") != null) {
      return "delivering";
    }
    if (row.getBoolean("queued")) {
      return "waiting";
    }
    return Objects.requireNonNullElse(row.getString("state"), "stored");
  }

  private static TimelineEntry notification(ResultSet row, Instant at) throws SQLException {
    UUID id = RowId.of(row);
    return new TimelineEntry(
        at,
        Kind.NOTIFICATION,
        id.toString(),
        "notification",
        null,
        row.getString("message_text"),
        null,
        refs(row, id, null),
        null);
  }

  private static TimelineEntry activity(ResultSet row, Instant at) throws SQLException {
    UUID id = RowId.of(row);
    @Nullable String error = row.getString("error_detail");
    return new TimelineEntry(
        at,
        Kind.ACTIVITY,
        id.toString(),
        row.getString("activity_type")
            + (row.getObject("peer_id") == null ? "" : " to " + TimelineEntry.PEER),
        row.getString("status"),
        error == null ? row.getString("summary") : error,
        row.getObject("duration_ms", Long.class),
        refs(row, id, null),
        null);
  }

  private static Refs refs(ResultSet row, UUID activityId, @Nullable UUID queueId)
      throws SQLException {
    return new Refs(
        row.getString("message_id"),
        row.getString("delegation_id"),
        null,
        activityId,
        queueId,
        row.getObject("peer_id", UUID.class),
        row.getLong("seq"));
  }

  private static long millis(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis());
  }
}
