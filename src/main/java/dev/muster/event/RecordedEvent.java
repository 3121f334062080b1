package dev.muster.event;

import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A recorded event as read (R10.1); {@code seq} is consecutive over all events. */
public record RecordedEvent(
    UUID id,
    long seq,
    String eventType,
    @Nullable UUID workspaceId,
    RawJson payload,
    Instant createdAt) {

  /** Returns the workspaces that the events of one type concern. */
  public static Set<UUID> workspacesOf(List<RecordedEvent> events, EventType type) {
    return events.stream()
        .filter(event -> event.eventType().equals(type.name()))
        .flatMap(event -> Stream.ofNullable(event.workspaceId()))
        .collect(Collectors.toSet());
  }
}
