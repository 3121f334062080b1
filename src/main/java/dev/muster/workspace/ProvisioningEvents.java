package dev.muster.workspace;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.event.RecordedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes a live {@code WORKSPACE_PROVISIONING} event for every created workspace (R10.1). It
 * carries what a canvas needs to draw the workspace. The event is not stored. Each replica builds
 * it from the recorded event and the workspace's row.
 */
@Component
class ProvisioningEvents implements RecordedEventListener {

  private static final String ROWS =
      "SELECT id, name, tier, runtime, parent_id, x, y FROM workspaces WHERE id = ANY (:ids)";

  private final JdbcClient db;
  private final LiveEvents live;
  private final JsonMapper json;

  /**
   * The highest seq handled. After a failure of another listener the events arrive again, and must
   * not be published twice.
   */
  private long publishedUpTo;

  ProvisioningEvents(JdbcClient db, LiveEvents live, JsonMapper json) {
    this.db = db;
    this.live = live;
    this.json = json;
  }

  @Override
  public synchronized void follow(List<RecordedEvent> events) {
    if (live.isWatched()) {
      publish(events.stream().filter(this::isCreation).toList());
    }
    publishedUpTo = Math.max(publishedUpTo, events.getLast().seq());
  }

  private void publish(List<RecordedEvent> creations) {
    if (creations.isEmpty()) {
      return;
    }
    Map<UUID, Map<String, @Nullable Object>> payloads = new HashMap<>();
    db.sql(ROWS)
        .param("ids", creations.stream().map(RecordedEvent::workspaceId).toArray(UUID[]::new))
        .query((row, n) -> payloads.put(row.getObject("id", UUID.class), payload(row)))
        .list();
    live.publish(
        creations.stream()
            .filter(event -> payloads.containsKey(event.workspaceId()))
            .map(event -> event(event, payloads.getOrDefault(event.workspaceId(), Map.of())))
            .toList());
  }

  /**
   * Whether the event reports a creation. A resumed workspace has the same event type, but a
   * previous status.
   */
  private boolean isCreation(RecordedEvent event) {
    return event.seq() > publishedUpTo
        && event.workspaceId() != null
        && event.eventType().equals(EventType.WORKSPACE_AWAITING_AGENT.name())
        && json.readTree(event.payload().text()).path("previous_status").isNull();
  }

  private static LiveEvent event(RecordedEvent event, Map<String, @Nullable Object> payload) {
    return new LiveEvent(
        LiveEvent.Kind.WORKSPACE_PROVISIONING,
        Objects.requireNonNull(event.workspaceId()),
        event.createdAt(),
        payload);
  }

  private static Map<String, @Nullable Object> payload(ResultSet row) throws SQLException {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("name", row.getString("name"));
    payload.put("tier", row.getInt("tier"));
    payload.put("runtime", row.getString("runtime"));
    payload.put("parent_id", row.getObject("parent_id", UUID.class));
    payload.put("x", row.getDouble("x"));
    payload.put("y", row.getDouble("y"));
    return payload;
  }
}
