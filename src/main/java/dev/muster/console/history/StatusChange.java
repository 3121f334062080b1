package dev.muster.console.history;

import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.text.Text;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A status transition, read from its recorded event.
 *
 * @param since when the workspace got the status, by the clock of the database then
 * @param previous the status before; null for a new workspace
 */
record StatusChange(
    UUID workspaceId,
    long seq,
    Instant since,
    @Nullable String previous,
    String status,
    @Nullable String reason,
    @Nullable String error) {

  static final String REMOVED = "removed";

  /** The types of events that record a transition. */
  static final Set<String> TYPES =
      Stream.of(
              EventType.WORKSPACE_AWAITING_AGENT,
              EventType.WORKSPACE_ONLINE,
              EventType.WORKSPACE_DEGRADED,
              EventType.WORKSPACE_OFFLINE,
              EventType.WORKSPACE_PAUSED,
              EventType.WORKSPACE_REMOVED)
          .map(EventType::name)
          .collect(Collectors.toUnmodifiableSet());

  private static final int MAX_ERROR = 160;

  /** Returns the transition of an event; empty for an event that has none. */
  static Optional<StatusChange> of(RecordedEvent event) {
    @Nullable UUID workspaceId = event.workspaceId();
    if (workspaceId == null || !TYPES.contains(event.eventType())) {
      return Optional.empty();
    }
    JsonNode payload = JsonMapper.shared().readTree(event.payload().text());
    @Nullable String status = payload.path("status").asString(null);
    if (status == null) {
      return Optional.empty();
    }
    @Nullable String error = payload.path("sample_error").asString(null);
    return Optional.of(
        new StatusChange(
            workspaceId,
            event.seq(),
            since(payload, event),
            payload.path("previous_status").asString(null),
            status,
            payload.path("degraded_reason").asString(null),
            error == null || error.isEmpty() ? null : Text.cut(error, MAX_ERROR)));
  }

  private static Instant since(JsonNode payload, RecordedEvent event) {
    try {
      return Instant.parse(payload.path("status_since").asString(""));
    } catch (DateTimeParseException ofAnOlderVersion) {
      return event.createdAt();
    }
  }
}
