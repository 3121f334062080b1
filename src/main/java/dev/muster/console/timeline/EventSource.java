package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import dev.muster.event.EventType;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Reads the recorded events of a workspace. It skips events of delegations, which {@link
 * DelegationSource} reads.
 */
@Repository
@Order(1)
class EventSource extends NumberedSource {

  /** Leaves out large payloads, which contain agent cards. */
  static final String PAGE =
      """
      SELECT id, seq, event_type, created_at AS at,
          CASE
              WHEN event_type LIKE 'DELEGATION%' THEN NULL
              WHEN octet_length(payload::text) <= 65536 THEN payload::text
          END AS payload
      FROM api_event_recorded
      WHERE workspace_id = :workspace_id AND seq < :before
      ORDER BY seq DESC
      LIMIT :limit
      """;

  private static final String NEWEST =
      """
      SELECT seq, created_at AS at FROM api_event_recorded WHERE workspace_id = :workspace_id AND seq IS NOT NULL
      ORDER BY seq DESC LIMIT 1
      """;

  private static final String FROM =
      """
      SELECT seq, created_at AS at FROM api_event_recorded
      WHERE workspace_id = :workspace_id AND seq >= :low AND seq < :high ORDER BY seq LIMIT 1
      """;

  /** Events get their numbers when they are published, after their times. */
  private static final Duration UNORDERED = Duration.ofSeconds(10);

  /** The members that a canvas changes while a user drags a workspace. */
  private static final Set<String> LAYOUT_MEMBERS = Set.of("x", "y", "collapsed");

  private static final String RESTART_REQUESTED_AT = "restart_requested_at";

  EventSource(JdbcClient db) {
    super(db, new Statements(PAGE, NEWEST, FROM), EventSource::row);
  }

  @Override
  public Lane lane() {
    return Lane.EVENTS;
  }

  @Override
  public Set<Kind> kinds() {
    return Set.of(Kind.STATUS);
  }

  @Override
  public Place placeOf(UUID workspaceId, Instant time) {
    return super.placeOf(workspaceId, time.plus(UNORDERED));
  }

  private static Row row(ResultSet row, int n) throws SQLException {
    Instant at = Timestamps.instant(row, "at");
    long seq = row.getLong("seq");
    UUID id = row.getObject("id", UUID.class);
    Optional<EventType> type = type(row.getString("event_type"));
    JsonNode payload = payload(row.getString("payload"));
    return new Row(
        at,
        Place.ofSeq(seq),
        type
            .filter(one -> isShown(one, payload))
            .map(one -> entry(one, payload, at, id, seq))
            .stream()
            .toList());
  }

  private static Optional<EventType> type(String name) {
    return Arrays.stream(EventType.values()).filter(type -> type.name().equals(name)).findFirst();
  }

  /** Has no default branch, so that a new event type does not compile unclassified. */
  private static boolean isShown(EventType type, JsonNode payload) {
    return switch (type) {
      case WORKSPACE_AWAITING_AGENT,
          WORKSPACE_ONLINE,
          WORKSPACE_DEGRADED,
          WORKSPACE_OFFLINE,
          WORKSPACE_STALLED,
          WORKSPACE_STALL_ENDED,
          WORKSPACE_PAUSED,
          WORKSPACE_RESTART_REQUESTED,
          WORKSPACE_REMOVED,
          AGENT_CARD_UPDATED ->
          true;
      case WORKSPACE_UPDATED -> !LAYOUT_MEMBERS.containsAll(payload.propertyNames());
      case LIVENESS_SUSPENDED,
          DELEGATION_SENT,
          DELEGATION_STATUS,
          DELEGATION_STUCK,
          DELEGATION_COMPLETE,
          DELEGATION_FAILED ->
          false;
    };
  }

  private static TimelineEntry entry(
      EventType type, JsonNode payload, Instant at, UUID id, long seq) {
    return new TimelineEntry(
        at,
        Kind.STATUS,
        id.toString(),
        title(type, payload),
        payload.path("status").asString(null),
        payload.path("sample_error").asString(payload.path("reason").asString("")),
        null,
        new Refs(null, null, null, null, null, null, seq),
        null);
  }

  private static String title(EventType type, JsonNode payload) {
    return switch (type) {
      case WORKSPACE_RESTART_REQUESTED -> "restart requested";
      case WORKSPACE_STALLED -> "stalled";
      case WORKSPACE_STALL_ENDED -> "no longer stalled";
      case AGENT_CARD_UPDATED -> "new agent card";
      case WORKSPACE_UPDATED ->
          payload.has(RESTART_REQUESTED_AT)
              ? "restart withdrawn"
              : "changed: " + String.join(", ", new TreeSet<>(payload.propertyNames()));
      default -> transition(type, payload);
    };
  }

  private static String transition(EventType type, JsonNode payload) {
    String before = payload.path("previous_status").asString("");
    String after = payload.path("status").asString("");
    if (after.isEmpty()) {
      return type.name();
    }
    String reason =
        payload.has("runtime_state")
            ? " (runtime_wedged)"
            : payload.has("error_rate") ? " (error_rate)" : "";
    return (before.isEmpty() || before.equals(after) ? "" : before + " → ") + after + reason;
  }

  /** Payloads contain JSON that agents sent, which not every JSON parser accepts. */
  private static JsonNode payload(@Nullable String json) {
    if (json == null) {
      return MissingNode.getInstance();
    }
    try {
      return LosslessJson.parse(json.getBytes(StandardCharsets.UTF_8));
    } catch (ProblemException unreadable) {
      return MissingNode.getInstance();
    }
  }
}
